/** {@code stowage inspect}: what a GGUF file contains. */
package dev.stowage.cli.inspect;
