/** {@code stowage rpc-serve}. */
package dev.stowage.cli.rpc;
