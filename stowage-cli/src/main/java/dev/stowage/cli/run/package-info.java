/** {@code stowage run}: generates text with a language model. */
package dev.stowage.cli.run;
