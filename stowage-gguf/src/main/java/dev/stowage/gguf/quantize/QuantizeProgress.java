package dev.stowage.gguf.quantize;

/**
 * How far quantising is.
 *
 * @param tensor the tensor of which a piece was done last
 * @param doneBytes how many bytes of the model that is read are done
 * @param totalBytes how many there are
 */
public record QuantizeProgress(String tensor, long doneBytes, long totalBytes) {}
