/** {@code stowage quantize}: writes a GGUF file with other element types. */
package dev.stowage.cli.quantize;
