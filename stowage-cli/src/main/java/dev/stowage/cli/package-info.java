/** The {@code stowage} command: the entry point, the root command, and how failures are reported. */
package dev.stowage.cli;
