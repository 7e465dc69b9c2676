package dev.stowage.models;

import dev.stowage.models.TransformerWeights.Attention;
import dev.stowage.models.TransformerWeights.Dense;
import dev.stowage.models.TransformerWeights.Experts;
import dev.stowage.models.TransformerWeights.FeedForward;
import dev.stowage.models.TransformerWeights.Linear;
import dev.stowage.models.TransformerWeights.RopeFactors;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what layers of decoders and encoders have in common: attention, feed-forward networks and rope factors. */
final class LayerWeights {

    private final TransformerShape shape;
    private final WeightSource source;

    LayerWeights(TransformerShape shape, WeightSource source) {
        this.shape = shape;
        this.source = source;
    }

    /** What the names of the weights of a layer begin with. */
    static String block(int layer) {
        return "blk." + layer + ".";
    }

    RopeFactors ropeFactors(int layer) {
        return new RopeFactors(
                ropeFactors(TransformerWeights.ROPE_FACTORS, layer),
                ropeFactors(TransformerWeights.SHORT_FACTORS, layer),
                ropeFactors(TransformerWeights.LONG_FACTORS, layer));
    }

    private @Nullable Tensor ropeFactors(String name, int layer) {
        int rotated = shape.rope().rotated(shape.headSize());
        return source.ropeFactors(name, layer, rotated / 2).orElse(null);
    }

    /** The attention of a layer; queries, keys and values are one matrix where the source has that. */
    Attention attention(String block, RopeFactors ropeFactors) {
        long keys = shape.kvWidth();
        long all = shape.queryWidth() + 2 * keys;
        Tensor fused = source.find(block + TransformerWeights.FUSED_QKV, shape.width(), all)
                .orElse(null);
        return new Attention(
                fused == null
                        ? linear(block + "attn_q", shape.width(), shape.queryWidth())
                        : new Linear(fused, bias(block + "attn_qkv", all)),
                fused == null ? linear(block + "attn_k", shape.width(), keys) : null,
                fused == null ? linear(block + "attn_v", shape.width(), keys) : null,
                biased(block + "attn_output", shape.queryWidth(), shape.width()),
                shape.qkNorm() ? vector(block + "attn_q_norm", shape.queryNormLength()) : null,
                shape.qkNorm() ? vector(block + "attn_k_norm", shape.keyNormLength()) : null,
                shape.traits().sinks() ? vector(block + "attn_sinks", shape.heads()) : null,
                ropeFactors);
    }

    FeedForward dense(String block) {
        boolean fused = shape.traits().fused();
        boolean gated = shape.traits().encoder().map(EncoderTraits::gated).orElse(!fused);
        return new Dense(
                gated ? linear(block + "ffn_gate", shape.width(), shape.feedForward()) : null,
                linear(block + "ffn_down", shape.feedForward(), shape.width()),
                linear(block + "ffn_up", shape.width(), (fused ? 2L : 1L) * shape.feedForward()));
    }

    FeedForward experts(String block) {
        int experts = shape.experts();
        int within = shape.feedForward();
        return new Experts(
                biased(block + "ffn_gate_inp", shape.width(), experts),
                ofExperts(block + "ffn_gate_exps", shape.width(), within, experts),
                ofExperts(block + "ffn_down_exps", within, shape.width(), experts),
                ofExperts(block + "ffn_up_exps", shape.width(), within, experts),
                sharedExpert(block));
    }

    private @Nullable Dense sharedExpert(String block) {
        int within = shape.traits().sharedExpert();
        return within == 0
                ? null
                : new Dense(
                        linear(block + "ffn_gate_shexp", shape.width(), within),
                        linear(block + "ffn_down_shexp", within, shape.width()),
                        linear(block + "ffn_up_shexp", shape.width(), within));
    }

    private Linear ofExperts(String name, long from, long to, long experts) {
        return new Linear(
                source.weight(name + ".weight", from, to, experts),
                shape.traits().sinks()
                        ? source.weight(name + ".bias", to, experts)
                        : source.find(name + ".bias", to, experts).orElse(null));
    }

    /** With a bias that models with sinks cannot do without. */
    private Linear biased(String name, long from, long to) {
        return shape.traits().sinks()
                ? new Linear(source.weight(name + ".weight", from, to), source.weight(name + ".bias", to))
                : linear(name, from, to);
    }

    Tensor vector(String name, long length) {
        return source.weight(name + ".weight", length);
    }

    private Linear linear(String name, long from, long to) {
        return new Linear(source.weight(name + ".weight", from, to), bias(name, to));
    }

    private @Nullable Tensor bias(String name, long length) {
        return source.find(name + ".bias", length).orElse(null);
    }

    /** Adds the factors of the rope, the matrices and their biases. */
    static void add(List<Tensor> all, Attention attention) {
        RopeFactors factors = attention.ropeFactors();
        add(all, factors.all(), factors.ofShort(), factors.ofLong());
        addLinear(all, attention.query(), attention.key(), attention.value(), attention.output());
    }

    static void add(List<Tensor> all, FeedForward feedForward) {
        switch (feedForward) {
            case Dense(Linear gate, Linear down, Linear up) -> addLinear(all, gate, down, up);
            case Experts(Linear router, Linear gate, Linear down, Linear up, Dense shared) -> {
                addLinear(all, router, gate, down, up);
                if (shared != null) {
                    add(all, shared);
                }
            }
        }
    }

    private static void addLinear(List<Tensor> all, @Nullable Linear... some) {
        for (Linear linear : some) {
            if (linear != null) {
                add(all, linear.weight(), linear.bias());
            }
        }
    }

    /** Adds those that are there. */
    static void add(List<Tensor> all, @Nullable Tensor... some) {
        for (Tensor tensor : some) {
            if (tensor != null) {
                all.add(tensor);
            }
        }
    }
}
