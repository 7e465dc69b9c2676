/**
 * Models by their hyper-parameters alone: how wide, how deep, how many heads. From a {@link
 * dev.stowage.models.ModelShape} come weights, caches and the graph of one run, all without memory, so that
 * the memory of a model can be planned where the model itself is not at hand.
 *
 * {@snippet class="dev.stowage.models.ModelSnippetTest" region="plan"}
 */
package dev.stowage.models;
