/** Memory plans compared with those of a live ggml. */
package dev.stowage.bench.ggml.plan;
