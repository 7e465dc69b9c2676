/** Checks of ops against ggml: how nodes are built, and what they compute. */
package dev.stowage.bench.ggml.op;
