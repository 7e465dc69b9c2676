package dev.stowage.models;

import static dev.stowage.models.LayerBuilder.inLayer;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;

/**
 * The graph of one pass of an encoder, op by op in the order of llama.cpp. All texts of the pass are read at once and whole,
 * and nothing is kept from one pass to the next.
 *
 * <pre>
 *   tokens ─► embeddings ─► + ─► norm ─► [ attention ─► + ─► norm ─► feed-forward ─► + ─► norm ] ─► states
 *                           kinds,         once per layer; the last one goes on with the wanted
 *                           positions      outputs alone
 * </pre>
 */
public final class EncoderGraph {

    private final TransformerShape shape;
    private final EncoderWeights weights;
    private final LayerBuilder builder;
    private final GraphBuilder ops;
    private final TransformerInputs inputs;
    private final AttentionBlock attention;
    private final FeedForwardBlock feedForward;

    private EncoderGraph(TransformerShape shape, EncoderWeights weights, KeyValueCache cache, Pass pass) {
        this.shape = shape;
        this.weights = weights;
        this.builder = new LayerBuilder(shape.normEpsilon(), pass.tokens());
        this.ops = builder.ops();
        this.inputs = TransformerInputs.of(ops, shape, cache, pass);
        this.attention = new AttentionBlock(builder, shape, pass, inputs, cache);
        this.feedForward = new FeedForwardBlock(builder, shape);
    }

    /**
     * The graph of a pass, which ends with the states of its outputs, whatever it chooses.
     *
     * @param cache has no tensors; it says of which form attention is
     */
    public static DecoderGraph build(TransformerShape shape, EncoderWeights weights, KeyValueCache cache, Pass pass) {
        EncoderGraph encoder = new EncoderGraph(shape, weights, cache, pass);
        Tensor states = encoder.builder.complete(encoder.states());
        return new DecoderGraph(
                pass,
                encoder.builder.graph(),
                encoder.inputs,
                states,
                null,
                encoder.builder.layers(shape.layers(), weights.parts(), cache));
    }

    private Tensor states() {
        int last = shape.layers() - 1;
        Tensor x = embeddings();
        for (int layer = 0; layer <= last; layer++) {
            EncoderWeights.Layer w = weights.layer(layer);
            builder.enter(layer);
            Tensor attended = attention.attend(x, w.attention(), layer);
            if (layer == last) {
                attended = ops.getRows(attended, inputs.outputs());
                x = ops.getRows(x, inputs.outputs());
            }
            Tensor between =
                    builder.norm(ops.add(attended, x), w.attentionNorm(), layer).named(inLayer("ffn_inp", layer));
            Tensor changed = feedForward.apply(between, w.feedForward(), layer);
            x = builder.norm(ops.add(changed, between), w.feedForwardNorm(), layer)
                    .named(inLayer("l_out", layer));
        }
        return x.named("result_embd").asOutput();
    }

    /** The vectors of tokens, of their kind, which is the first, and of their positions, and the norm of the sum. */
    private Tensor embeddings() {
        builder.enter(LayerPlacement.INPUT);
        Tensor x = ops.getRows(weights.embeddings(), inputs.tokens()).named("embd");
        Tensor types = weights.types();
        if (types != null) {
            x = ops.add(x, firstRow(types));
        }
        Tensor positions = weights.positions();
        if (positions != null) {
            x = ops.add(ops.getRows(positions, inputs.positions()), x);
        }
        EncoderWeights.Norm norm = weights.embeddingNorm();
        Tensor normed = ops.norm(x.named("inp_embd"), shape.normEpsilon());
        return ops.add(ops.mul(normed, norm.weight()), norm.bias()).named("inp_norm");
    }

    private Tensor firstRow(Tensor types) {
        Tensor row = ops.view1d(types, types.dim(0), 0);
        return row.type() == ElementType.F32 ? row : ops.cast(row, ElementType.F32);
    }
}
