/**
 * The real ggml, called from Java: a graph of ours is rebuilt inside it, planned there, and what came out is read back,
 * so that both can be compared on the same work.
 *
 * <pre>
 *   GgmlFolder ──► GgmlLibrary ──► GgmlMirror ──► MirrorPlan
 *   where it lies  symbols, ops    same graph     same question, ggml's answer
 * </pre>
 */
package dev.stowage.bench.ggml;
