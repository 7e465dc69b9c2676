package dev.stowage.models;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;

/**
 * The graph of one pass, with what is written before it runs and read behind it.
 *
 * @param pass what it was built for
 * @param graph what is computed
 * @param inputs what to write
 * @param logits what to read: {@code [vocabulary, outputs]}
 */
public record DecoderGraph(Pass pass, Graph graph, TransformerInputs inputs, Tensor logits) {}
