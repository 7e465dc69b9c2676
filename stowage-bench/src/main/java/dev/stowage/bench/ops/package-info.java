/**
 * {@code stowage bench ops}: cases on the shapes of real models, computed by a device of ours and by ggml from the same
 * bytes, alternately, and timed.
 *
 * <pre>
 *   BenchCases ──► BenchCase ──► Workload ──► DeviceContender ┐
 *   what there is  one of them   a graph,     GgmlContender   ┴─► Rounds ──► CaseResult ──► table, JSON
 *                                its bytes    ready to run        medians
 * </pre>
 */
package dev.stowage.bench.ops;
