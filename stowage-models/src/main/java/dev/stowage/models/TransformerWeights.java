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
public final class TransformerWeights {

    static final String EMBEDDINGS = "token_embd.weight";
    static final String OUTPUT = "output.weight";
    static final String ROPE_FACTORS = "rope_freqs.weight";
    static final String SHORT_FACTORS = "rope_factors_short.weight";
    static final String LONG_FACTORS = "rope_factors_long.weight";
    static final String FUSED_QKV = "attn_qkv.weight";

    /** A matrix and the bias that is added to its product. */
    public record Linear(Tensor weight, @Nullable Tensor bias) {}

    /**
     * The weights of one layer; norms are there only where the shape has them. Where queries, keys and values are one matrix,
     * that is the one of the queries, and the others are null.
     */
    public record Layer(
            @Nullable Tensor attentionNorm,
            Linear query,
            @Nullable Linear key,
            @Nullable Linear value,
            Linear output,
            @Nullable Tensor queryNorm,
            @Nullable Tensor keyNorm,
            @Nullable Tensor sinks,
            @Nullable Tensor attentionPostNorm,
            @Nullable Tensor feedForwardNorm,
            FeedForward feedForward,
            @Nullable Tensor feedForwardPostNorm,
            RopeFactors ropeFactors) {

        /** All of them. */
        public List<Tensor> tensors() {
            List<Tensor> all = new ArrayList<>();
            add(all, attentionNorm, queryNorm, keyNorm, sinks, attentionPostNorm);
            add(all, feedForwardNorm, feedForwardPostNorm);
            add(all, ropeFactors.all, ropeFactors.ofShort, ropeFactors.ofLong);
            addLinear(all, query, key, value, output);
            switch (feedForward) {
                case Dense(Linear gate, Linear down, Linear up) -> addLinear(all, gate, down, up);
                case Experts(Linear router, Linear gate, Linear down, Linear up) ->
                    addLinear(all, router, gate, down, up);
            }
            return all;
        }

        private static void addLinear(List<Tensor> all, @Nullable Linear... some) {
            for (Linear linear : some) {
                if (linear != null) {
                    add(all, linear.weight, linear.bias);
                }
            }
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

    /** One feed-forward block for all tokens; without a gate of its own where the matrix {@code up} has it too. */
    public record Dense(@Nullable Linear gate, Linear down, Linear up) implements FeedForward {}

    /** Several experts side by side, and the router matrix that decides which of them a token goes through. */
    public record Experts(Linear router, Linear gate, Linear down, Linear up) implements FeedForward {}

    private final TransformerShape shape;
    private final WeightSource source;
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
        this.source = source;
        this.embeddings = source.weight(EMBEDDINGS, shape.width(), shape.vocabulary());
        this.outputNorm = vector("output_norm", shape.width());
        this.output = new Linear(
                source.find(OUTPUT, shape.width(), shape.vocabulary()).orElseGet(() -> source.tiedOutput(embeddings)),
                source.find("output.bias", shape.vocabulary()).orElse(null));
        for (int i = 0; i < shape.layers(); i++) {
            layers.add(read(i));
        }
        for (int part = LayerPlacement.INPUT; part <= shape.layers(); part++) {
            for (Tensor tensor : tensors(part)) {
                parts.putIfAbsent(tensor, part);
            }
        }
    }

    /**
     * The weights of a part: a layer by its number, {@link LayerPlacement#INPUT} before the first, or the number of
     * layers for the output. Where the source gives several parts one tensor, each of them has it.
     */
    public List<Tensor> tensors(int part) {
        if (part == LayerPlacement.INPUT) {
            return List.of(embeddings);
        }
        if (part < shape.layers()) {
            return layers.get(part).tensors();
        }
        List<Tensor> last = new ArrayList<>();
        add(last, outputNorm, output.weight, output.bias);
        return last;
    }

    /** The part of every weight; what several parts read belongs to the first of them. */
    Map<Tensor, Integer> parts() {
        return parts;
    }

    private Layer read(int number) {
        String block = "blk." + number + ".";
        TransformerTraits traits = shape.traits();
        boolean before = traits.norms().isBefore();
        boolean after = traits.norms().isAfter();
        // Asked for first, so that they come before the layers where one tensor serves all of them.
        RopeFactors ropeFactors = new RopeFactors(
                ropeFactors(ROPE_FACTORS, number),
                ropeFactors(SHORT_FACTORS, number),
                ropeFactors(LONG_FACTORS, number));
        long keys = shape.kvWidth();
        Tensor attentionNorm = before ? vector(block + "attn_norm", shape.width()) : null;
        Tensor fused = source.find(block + FUSED_QKV, shape.width(), shape.queryWidth() + 2 * keys)
                .orElse(null);
        return new Layer(
                attentionNorm,
                fused == null
                        ? linear(block + "attn_q", shape.width(), shape.queryWidth())
                        : new Linear(fused, bias(block + "attn_qkv", shape.queryWidth() + 2 * keys)),
                fused == null ? linear(block + "attn_k", shape.width(), keys) : null,
                fused == null ? linear(block + "attn_v", shape.width(), keys) : null,
                linear(block + "attn_output", shape.queryWidth(), shape.width()),
                shape.qkNorm() ? vector(block + "attn_q_norm", shape.queryNormLength()) : null,
                shape.qkNorm() ? vector(block + "attn_k_norm", shape.keyNormLength()) : null,
                traits.sinks() ? vector(block + "attn_sinks", shape.heads()) : null,
                after ? vector(block + "post_attention_norm", shape.width()) : null,
                before ? vector(block + traits.feedForwardNorm(), shape.width()) : null,
                shape.hasExperts() ? experts(block) : dense(block),
                after ? vector(block + "post_ffw_norm", shape.width()) : null,
                ropeFactors);
    }

    private @Nullable Tensor ropeFactors(String name, int layer) {
        int rotated = shape.rope().rotated(shape.headSize());
        return source.ropeFactors(name, layer, rotated / 2).orElse(null);
    }

    private static void add(List<Tensor> all, @Nullable Tensor... some) {
        for (Tensor tensor : some) {
            if (tensor != null) {
                all.add(tensor);
            }
        }
    }

    private FeedForward dense(String block) {
        boolean fused = shape.traits().fused();
        return new Dense(
                fused ? null : linear(block + "ffn_gate", shape.width(), shape.feedForward()),
                linear(block + "ffn_down", shape.feedForward(), shape.width()),
                linear(block + "ffn_up", shape.width(), (fused ? 2L : 1L) * shape.feedForward()));
    }

    private FeedForward experts(String block) {
        int experts = shape.experts();
        int within = shape.feedForward();
        return new Experts(
                linear(block + "ffn_gate_inp", shape.width(), experts),
                ofExperts(block + "ffn_gate_exps", shape.width(), within, experts),
                ofExperts(block + "ffn_down_exps", within, shape.width(), experts),
                ofExperts(block + "ffn_up_exps", shape.width(), within, experts));
    }

    private Linear ofExperts(String name, long from, long to, long experts) {
        return new Linear(
                matrix(name, from, to, experts),
                source.find(name + ".bias", to, experts).orElse(null));
    }

    private Tensor vector(String name, long length) {
        return source.weight(name + ".weight", length);
    }

    private Tensor matrix(String name, long... dimensions) {
        return source.weight(name + ".weight", dimensions);
    }

    private Linear linear(String name, long from, long to) {
        return new Linear(matrix(name, from, to), bias(name, to));
    }

    private @Nullable Tensor bias(String name, long length) {
        return source.find(name + ".bias", length).orElse(null);
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
