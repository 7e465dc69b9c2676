/** What comparisons with a live ggml share: their arguments, and a run in worker processes that survives an abort. */
package dev.stowage.bench.ggml.live;
