/**
 * GGUF, the files that models of ggml and llama.cpp come in: metadata, a list of tensors, and their data.
 *
 * <pre>
 *   | magic, version, counts | metadata | list of tensors | gap | data of tensors, each aligned | ...
 *   0                                                     dataOffset
 * </pre>
 *
 * <p>{@link dev.stowage.gguf.GgufContents} reads what a model says of itself, and needs no data to be there.
 * {@link dev.stowage.gguf.GgufFile} opens it with its data, mapped and used in place.
 * {@link dev.stowage.gguf.GgufWriter} writes one.
 *
 * {@snippet class="dev.stowage.gguf.GgufSnippetTest" region="read"}
 *
 * <p>A file is not trusted: whatever it holds, reading ends with what it says or with a
 * {@link dev.stowage.error.MalformedDataException} that names file, byte and field.
 */
package dev.stowage.gguf;
