/** Rotary position embeddings, and their fusion with the store into the KV cache. */
package dev.stowage.cpu.op.rope;
