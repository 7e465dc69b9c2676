package dev.stowage.models;

import static dev.stowage.models.LayerBuilder.inLayer;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.Tensor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The parts a decoder is put together from, for one pass: what comes in, the norms, attention with its cache, the
 * feed-forward network, and what goes out. {@link TransformerGraph} shows how; a model that differs in its order or in
 * what happens in between uses the same parts and {@link #ops()} for the rest. What is made with {@link #ops()} belongs
 * to the layer of the block before it.
 */
public final class DecoderBlocks {

    private final TransformerShape shape;
    private final TransformerWeights weights;
    private final KeyValueCache cache;
    private final Pass pass;
    private final LayerBuilder builder;
    private final TransformerInputs inputs;
    private final AttentionBlock attention;
    private final FeedForwardBlock feedForward;

    /** For one pass of the model with those weights, over that cache. */
    public DecoderBlocks(TransformerShape shape, TransformerWeights weights, KeyValueCache cache, Pass pass) {
        this.shape = shape;
        this.weights = weights;
        this.cache = cache;
        this.pass = pass;
        this.builder = new LayerBuilder(shape.normEpsilon(), pass.tokens());
        this.inputs = TransformerInputs.of(builder.ops(), shape, cache, pass);
        this.attention = new AttentionBlock(builder, shape, pass, inputs, cache);
        this.feedForward = new FeedForwardBlock(builder, shape);
    }

    /** The ops of the graph that is being built. */
    public GraphBuilder ops() {
        return builder.ops();
    }

    public TransformerShape shape() {
        return shape;
    }

    public TransformerWeights weights() {
        return weights;
    }

    public TransformerInputs inputs() {
        return inputs;
    }

    private Tensor scaled(Tensor x, float scale) {
        return scale == 1f ? x : ops().scale(x, scale);
    }

    /** The vectors of the tokens that come in, {@code [width, tokens]}. */
    public Tensor embeddings() {
        builder.enter(LayerPlacement.INPUT);
        Tensor x = ops().getRows(weights.embeddings(), inputs.tokens()).named("embd");
        builder.complete(x);
        builder.complete(inputs.embeddings());
        return scaled(x, shape.traits().embeddingScale());
    }

    /** The RMS norm in front of a layer's attention, if it has one. */
    public Tensor attentionNorm(Tensor x, int layer) {
        builder.enter(layer);
        return normed(x, weights.layer(layer).attentionNorm(), "attn_norm", layer);
    }

    private Tensor normed(Tensor x, @Nullable Tensor weight, String name, int layer) {
        return weight == null ? x : builder.norm(x, weight, layer).named(inLayer(name, layer));
    }

    /** What a layer adds after attention: its norm and its scale, if it has them. */
    public Tensor attentionResult(Tensor x, int layer) {
        Tensor normed = normed(x, weights.layer(layer).attentionPostNorm(), "attn_post_norm", layer);
        return scaled(normed, shape.traits().residualScale());
    }

    /** What a layer adds after its feed-forward block: its norm and its scale, if it has them. */
    public Tensor feedForwardResult(Tensor x, int layer) {
        Tensor normed = normed(x, weights.layer(layer).feedForwardPostNorm(), "ffn_post_norm", layer);
        return scaled(normed, shape.traits().residualScale());
    }

    /** What attention makes of {@code x[width, tokens]}, in the same shape. */
    public Tensor attend(Tensor x, int layer) {
        builder.enter(layer);
        return attention.attend(x, weights.layer(layer).attention(), layer);
    }

    /** The RMS norm before a layer's feed-forward block, if it has one. */
    public Tensor feedForwardNorm(Tensor x, int layer) {
        builder.enter(layer);
        return normed(x, weights.layer(layer).feedForwardNorm(), "ffn_norm", layer);
    }

    /**
     * The result of a layer's feed-forward block, or of its chosen experts, for {@code x[width, tokens]}, in the same
     * shape.
     */
    public Tensor feedForward(Tensor x, int layer) {
        builder.enter(layer);
        return feedForward.apply(x, weights.layer(layer).feedForward(), layer);
    }

    /** Only the rows of the tokens whose logits are requested; no node reads the others after the last attention. */
    public Tensor selectOutputs(Tensor x) {
        return ops().getRows(x, inputs.outputs());
    }

    /**
     * The logits, {@code [vocabulary, outputs]}: the last norm and the output matrix. Where the pass ends with states, these
     * are {@code [width, outputs]}, as the last norm gives them.
     */
    public Tensor logits(Tensor x) {
        builder.enter(shape.layers());
        Tensor normed = ops().rmsNorm(x, shape.normEpsilon()).named("norm");
        Tensor result =
                ops().mul(normed, weights.outputNorm()).named("result_norm").asOutput();
        if (pass.choice() instanceof TokenChoice.States) {
            return result;
        }
        Tensor logits =
                scaled(builder.linear(weights.output(), result), shape.traits().logitScale());
        return builder.capped(logits, shape.traits().logitCap())
                .named("result_output")
                .asOutput();
    }

    /** Says that everything up to that tensor runs before whatever is completed later. */
    public Tensor complete(Tensor tensor) {
        return builder.complete(tensor);
    }

    /** The graph that ends with those logits, or with the tokens that the pass chooses by them. */
    public DecoderGraph graph(Tensor logits) {
        builder.complete(logits);
        @Nullable Tensor tokens = chosen(logits);
        if (tokens != null) {
            builder.complete(tokens.named("result_tokens").asOutput());
        }
        return new DecoderGraph(
                pass, builder.graph(), inputs, logits, tokens, builder.layers(shape.layers(), weights.parts(), cache));
    }

    private @Nullable Tensor chosen(Tensor logits) {
        return switch (pass.choice()) {
            case TokenChoice.None _, TokenChoice.States _ -> null;
            case TokenChoice.Largest _ -> ops().argmax(logits);
            case TokenChoice.Drawn drawn -> drawn.tokens(ops(), logits, Objects.requireNonNull(inputs.random()));
        };
    }
}
