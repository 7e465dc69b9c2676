/**
 * Models by their hyper-parameters alone: how wide, how deep, how many heads. From a {@link
 * dev.stowage.models.ModelShape} come weights, caches and the graph of one run, all without memory, so that
 * the memory of a model can be planned where the model itself is not at hand.
 *
 * {@snippet :
 * ModelGraph model = TransformerGraph.of(ModelShapes.transformer("llama-3-8b"), TransformerOptions.ofTokens(512));
 * MemoryPlan plan = Planner.ggml().plan(PlanRequest.of(model.graph(), HostBufferType.standard()));
 * }
 */
package dev.stowage.models;
