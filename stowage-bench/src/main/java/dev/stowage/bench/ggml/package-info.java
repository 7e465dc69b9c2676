/**
 * The real ggml, called from Java: a graph of ours is rebuilt inside it, planned or run there, and what came out is
 * read back, so that both can be compared on the same work.
 *
 * <pre>
 *   GgmlFolder ──► GgmlLibrary ──► GgmlMirror ──► MirrorPlan    where ggml puts each tensor
 *   where it lies  symbols, ops    same graph ──► GgmlCompute   what ggml's CPU backend computes
 *                                             ──► GgmlRunner    the same, as fast as ggml can
 * </pre>
 *
 * {@link dev.stowage.bench.ggml.LivePlanConformance} compares plans, {@link dev.stowage.bench.ggml.OpConformance}
 * compares results. Both do their work in processes of their own, since ggml ends the process on wrong input.
 */
package dev.stowage.bench.ggml;
