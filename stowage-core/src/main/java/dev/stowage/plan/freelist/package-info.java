/** The free list of {@code ggml_dyn_tallocr}. */
package dev.stowage.plan.freelist;
