package dev.stowage.models;

import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The weights of a transformer, named and ordered as in a GGUF file. What only some models have is null in the others.
 */
public final class TransformerWeights implements PartWeights {

    static final String EMBEDDINGS = "token_embd.weight";
    static final String OUTPUT = "output.weight";
    static final String ROPE_FACTORS = "rope_freqs.weight";
    static final String SHORT_FACTORS = "rope_factors_short.weight";
    static final String LONG_FACTORS = "rope_factors_long.weight";
    static final String FUSED_QKV = "attn_qkv.weight";

    /** A matrix and the bias that is added to its product. */
    public record Linear(Tensor weight, @Nullable Tensor bias) {}

    /**
     * The weights of the attention of a layer; norms are there only where the shape has them. Where queries, keys and values
     * are one matrix, that is the one of the queries, and the others are null.
     */
    public record Attention(
            Linear query,
            @Nullable Linear key,
            @Nullable Linear value,
            Linear output,
            @Nullable Tensor queryNorm,
            @Nullable Tensor keyNorm,
            @Nullable Tensor sinks,
            RopeFactors ropeFactors) {}

    /** The weights of one layer; norms are there only where the shape has them. */
    public record Layer(
            @Nullable Tensor attentionNorm,
            Attention attention,
            @Nullable Tensor attentionPostNorm,
            @Nullable Tensor feedForwardNorm,
            FeedForward feedForward,
            @Nullable Tensor feedForwardPostNorm) {

        /** All of them. */
        public List<Tensor> tensors() {
            List<Tensor> all = new ArrayList<>();
            LayerWeights.add(all, attentionNorm, attention.queryNorm, attention.keyNorm, attention.sinks);
            LayerWeights.add(all, attentionPostNorm, feedForwardNorm, feedForwardPostNorm);
            LayerWeights.add(all, attention);
            LayerWeights.add(all, feedForward);
            return all;
        }
    }

    /**
     * What the frequencies of the rope are divided by.
     *
     * @param all in any context
     * @param ofShort in a context up to the original one
     * @param ofLong in a longer one
     */
    public record RopeFactors(
            @Nullable Tensor all,
            @Nullable Tensor ofShort,
            @Nullable Tensor ofLong) {

        @Nullable
        Tensor in(boolean isLong) {
            return all != null ? all : isLong ? ofLong : ofShort;
        }
    }

    /** What follows the attention of a layer. */
    public sealed interface FeedForward {}

    /**
     * One feed-forward block for all tokens; without a gate of its own where the matrix {@code up} has it too, or where it has
     * none.
     */
    public record Dense(@Nullable Linear gate, Linear down, Linear up) implements FeedForward {}

    /**
     * Several experts side by side, the router matrix that decides which of them a token goes through, and the one that all
     * tokens go through, where there is such.
     */
    public record Experts(
            Linear router,
            Linear gate,
            Linear down,
            Linear up,
            @Nullable Dense shared) implements FeedForward {}

    private final TransformerShape shape;
    private final Tensor embeddings;
    private final Tensor outputNorm;
    private final Linear output;
    private final List<Layer> layers = new ArrayList<>();
    private final Map<Tensor, Integer> parts = new HashMap<>();

    /**
     * The weights of that model from there.
     *
     * @throws dev.stowage.error.StowageException if one is missing or has other dimensions than the shape says
     */
    public TransformerWeights(TransformerShape shape, WeightSource source) {
        this.shape = shape;
        this.embeddings = source.weight(EMBEDDINGS, shape.width(), shape.vocabulary());
        this.outputNorm = source.weight("output_norm.weight", shape.width());
        this.output = new Linear(
                source.find(OUTPUT, shape.width(), shape.vocabulary()).orElseGet(() -> source.tiedOutput(embeddings)),
                source.find("output.bias", shape.vocabulary()).orElse(null));
        LayerWeights read = new LayerWeights(shape, source);
        for (int i = 0; i < shape.layers(); i++) {
            layers.add(layer(read, i));
        }
        for (int part = LayerPlacement.INPUT; part <= shape.layers(); part++) {
            for (Tensor tensor : tensors(part)) {
                parts.putIfAbsent(tensor, part);
            }
        }
    }

    @Override
    public List<Tensor> tensors(int part) {
        if (part == LayerPlacement.INPUT) {
            return List.of(embeddings);
        }
        if (part < shape.layers()) {
            return layers.get(part).tensors();
        }
        List<Tensor> last = new ArrayList<>();
        LayerWeights.add(last, outputNorm, output.weight, output.bias);
        return last;
    }

    /** The part of every weight; what several parts read belongs to the first of them. */
    Map<Tensor, Integer> parts() {
        return parts;
    }

    private Layer layer(LayerWeights read, int number) {
        TransformerTraits traits = shape.traits();
        String block = LayerWeights.block(number);
        boolean before = traits.norms().isBefore();
        boolean after = traits.norms().isAfter();
        // Asked for first, so that they come before the layers where one tensor serves all of them.
        RopeFactors ropeFactors = read.ropeFactors(number);
        Tensor attentionNorm = before ? read.vector(block + "attn_norm", shape.width()) : null;
        return new Layer(
                attentionNorm,
                read.attention(block, ropeFactors),
                after ? read.vector(block + "post_attention_norm", shape.width()) : null,
                before ? read.vector(block + traits.feedForwardNorm(), shape.width()) : null,
                shape.hasExperts() ? read.experts(block) : read.dense(block),
                after ? read.vector(block + "post_ffw_norm", shape.width()) : null);
    }

    public Tensor embeddings() {
        return embeddings;
    }

    public Tensor outputNorm() {
        return outputNorm;
    }

    /** The matrix that gives the logits; the embeddings themselves, or a copy of them, where they are tied. */
    public Linear output() {
        return output;
    }

    public Layer layer(int index) {
        return layers.get(index);
    }
}
