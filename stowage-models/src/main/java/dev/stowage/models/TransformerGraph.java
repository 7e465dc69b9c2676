package dev.stowage.models;

import static dev.stowage.models.LayerBuilder.inLayer;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.Tensor;

/**
 * The graph of a transformer for a number of tokens: the same ops in the same order, under the same names, as llama.cpp
 * builds for models of the Llama, Mistral and Qwen 3 families, so that memory planned for the one is memory planned for
 * the other.
 *
 * <pre>
 *   tokens ─► embeddings ─► [ norm ─► attention ─► + ─► norm ─► network ─► + ] ─► norm ─► output ─► logits
 *                             once per layer; the last one goes on with the wanted outputs alone
 * </pre>
 */
public final class TransformerGraph {

    private final TransformerShape shape;
    private final TransformerWeights weights;
    private final TransformerInputs inputs;
    private final LayerBuilder builder;
    private final GraphBuilder ops;
    private final AttentionBlock attention;
    private final NetworkBlock network;

    private TransformerGraph(
            TransformerShape shape, TransformerOptions options, TransformerWeights weights, KeyValueCache cache) {
        this.shape = shape;
        this.weights = weights;
        this.builder = new LayerBuilder(shape.normEpsilon());
        this.ops = builder.ops();
        this.inputs = TransformerInputs.of(ops, shape, options);
        this.attention = new AttentionBlock(builder, shape, options, weights, inputs, cache);
        this.network = new NetworkBlock(builder, shape);
    }

    /**
     * Weights, cache and graph of that model, run in that way.
     *
     * @throws dev.stowage.error.InvalidGraphException if the cache cannot have the type asked for
     * @throws dev.stowage.error.InvalidTensorException if a tensor would have more bytes than a long can count
     */
    public static ModelGraph of(TransformerShape shape, TransformerOptions options) {
        TransformerWeights weights = new TransformerWeights(shape, options.weightType());
        KeyValueCache cache = new KeyValueCache(shape, options);
        Graph graph = new TransformerGraph(shape, options, weights, cache).build();
        return ModelGraph.placed(shape, weights.builder(), cache.builder(), graph);
    }

    private Graph build() {
        Tensor x = ops.getRows(weights.embeddings(), inputs.tokens()).named("embd");
        builder.complete(x);
        builder.complete(inputs.embeddings());
        for (int layer = 0; layer < shape.layers(); layer++) {
            x = layer(x, layer);
        }
        Tensor normed = ops.rmsNorm(x, shape.normEpsilon()).named("norm");
        Tensor result =
                ops.mul(normed, weights.outputNorm()).named("result_norm").asOutput();
        builder.complete(
                ops.mulMat(weights.output(), result).named("result_output").asOutput());
        return builder.graph();
    }

    private Tensor layer(Tensor x, int layer) {
        TransformerWeights.Layer w = weights.layer(layer);
        Tensor residual = x;
        Tensor normed = builder.norm(x, w.attentionNorm(), layer).named(inLayer("attn_norm", layer));
        Tensor attended = attention.attend(normed, layer);
        if (layer == shape.layers() - 1) {
            attended = ops.getRows(attended, inputs.outputs());
            residual = ops.getRows(residual, inputs.outputs());
        }
        Tensor between = ops.add(attended, residual).named(inLayer("ffn_inp", layer));
        Tensor networkInput = builder.norm(between, w.networkNorm(), layer).named(inLayer("ffn_norm", layer));
        Tensor changed = network.apply(networkInput, w.network(), layer);
        return ops.add(changed, between).named(inLayer("l_out", layer));
    }
}
