/**
 * Turns a model into a smaller one: {@link dev.stowage.gguf.quantize.FileType} says what it is to become,
 * {@link dev.stowage.gguf.quantize.TypeChoice} which type each tensor gets, {@link dev.stowage.gguf.quantize.Quantizer}
 * does it.
 */
package dev.stowage.gguf.quantize;
