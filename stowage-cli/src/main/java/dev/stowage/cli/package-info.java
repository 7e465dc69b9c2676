/** The {@code stowage} command line: one class per subcommand, and how each failure is told to its user. */
package dev.stowage.cli;
