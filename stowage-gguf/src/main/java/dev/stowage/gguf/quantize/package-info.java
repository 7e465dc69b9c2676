/**
 * Quantises a model: {@link dev.stowage.gguf.quantize.FileType} names the target type,
 * {@link dev.stowage.gguf.quantize.TypeChoice} which type each tensor gets, {@link dev.stowage.gguf.quantize.Quantizer}
 * does it.
 */
package dev.stowage.gguf.quantize;
