package dev.stowage.models;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * The graph of one pass, with what is written before it runs and read after it.
 *
 * @param pass what it was built for
 * @param graph what is computed
 * @param inputs what to write
 * @param logits what to read: {@code [vocabulary, outputs]}, or {@code [width, outputs]} where the pass ends with states
 * @param tokens the token that is chosen for each output, as many i32 as outputs, where the pass chooses one
 * @param layers which layer every node, weight and cache belongs to
 */
public record DecoderGraph(
        Pass pass,
        Graph graph,
        TransformerInputs inputs,
        Tensor logits,
        @Nullable Tensor tokens,
        LayerMap layers) {}
