/** Graphs rebuilt inside ggml, with memory from its buffer types and allocators, and run on its CPU backend. */
package dev.stowage.bench.ggml.graph;
