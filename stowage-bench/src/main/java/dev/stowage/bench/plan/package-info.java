/** Benchmarks of the planners, compared with ggml's where ggml has the same. */
package dev.stowage.bench.plan;
