/**
 * The binding to ggml: its shared libraries, functions and C structs, called through the foreign function interface.
 *
 * <pre>
 *   GgmlFolder ──► GgmlLibrary ──► .graph     a graph of ours, rebuilt, planned and run inside ggml
 *   the libraries  functions, ops  .op        ops compared: nodes and results
 *                                  .plan      memory plans compared
 *                                  .schedule  schedules compared
 * </pre>
 *
 * The comparisons run in worker processes ({@code .live}), since ggml aborts the process on invalid input.
 */
package dev.stowage.bench.ggml;
