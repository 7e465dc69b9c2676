/** {@code stowage bench}: how fast a model runs, also compared with llama.cpp, and the services that further subcommands use. */
package dev.stowage.cli.bench;
