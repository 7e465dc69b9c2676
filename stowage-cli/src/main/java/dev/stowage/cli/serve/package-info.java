/** {@code stowage serve}: a language model over HTTP. */
package dev.stowage.cli.serve;
