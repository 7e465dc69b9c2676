/** Benchmarks of the planners, beside ggml's where ggml has the same. */
package dev.stowage.bench.plan;
