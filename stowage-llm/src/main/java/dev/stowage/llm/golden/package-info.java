/** What another implementation was recorded to compute with a model, and whether a model here computes the same. */
package dev.stowage.llm.golden;
