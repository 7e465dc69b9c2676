package dev.stowage.models;

import static dev.stowage.models.LayerBuilder.inLayer;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** The feed-forward block of a layer, or a mixture of experts, op by op in the order of llama.cpp. */
final class FeedForwardBlock {

    /** The smallest normal f16: a sum of shares below it is taken for it, so that nothing is divided by zero. */
    private static final float SMALLEST_SUM = 0x1p-14f;

    private final LayerBuilder builder;
    private final GraphBuilder ops;
    private final TransformerShape shape;

    FeedForwardBlock(LayerBuilder builder, TransformerShape shape) {
        this.builder = builder;
        this.ops = builder.ops();
        this.shape = shape;
    }

    /** The result for {@code x[width, tokens]}, in the same shape. */
    Tensor apply(Tensor x, TransformerWeights.FeedForward feedForward, int layer) {
        return switch (feedForward) {
            case TransformerWeights.Dense dense -> dense(x, dense, layer);
            case TransformerWeights.Experts experts -> withShared(experts(x, experts, layer), x, experts, layer);
        };
    }

    private Tensor withShared(Tensor chosen, Tensor x, TransformerWeights.Experts w, int layer) {
        return w.shared() == null
                ? chosen
                : ops.add(chosen, dense(x, w.shared(), layer).named(inLayer("ffn_shexp", layer)));
    }

    private Tensor dense(Tensor x, TransformerWeights.Dense w, int layer) {
        Activation activation = shape.traits().activation();
        Tensor up = builder.linear(w.up(), x).named(inLayer("ffn_up", layer));
        Tensor gated;
        if (w.gate() != null) {
            gated = activation.gated(ops, builder.linear(w.gate(), x).named(inLayer("ffn_gate", layer)), up);
        } else if (up.dim(0) == shape.feedForward()) {
            gated = activation.ungated(ops, up);
        } else {
            gated = activation.gated(ops, up);
        }
        return builder.linear(w.down(), gated.named(inLayer("ffn_" + activation.label(), layer)))
                .named(inLayer("ffn_out", layer));
    }

    private Tensor experts(Tensor x, TransformerWeights.Experts w, int layer) {
        long tokens = x.dim(1);
        Activation activation = shape.traits().activation();
        Tensor logits = builder.linear(w.router(), x).named(inLayer("ffn_moe_logits", layer));
        boolean late = shape.traits().lateShares();
        Tensor shares = late ? logits : ops.softMax(logits).named(inLayer("ffn_moe_probs", layer));
        Tensor chosen = chosen(shares, layer);
        Tensor weights = builder.complete(
                late ? lateWeights(shares, chosen, tokens, layer) : weights(shares, chosen, tokens, layer));
        Tensor each = ops.reshape(x, shape.width(), 1, tokens);
        Tensor up = ofChosen(w.up(), each, chosen).named(inLayer("ffn_moe_up", layer));
        Tensor gate = ofChosen(w.gate(), each, chosen).named(inLayer("ffn_moe_gate", layer));
        Tensor gated = activation.gated(ops, gate, up).named(inLayer("ffn_moe_" + activation.label(), layer));
        Tensor down = ofChosen(w.down(), gated, chosen).named(inLayer("ffn_moe_down", layer));
        Tensor weighted = ops.mul(down, weights).named(inLayer("ffn_moe_weighted", layer));
        return sum(builder.complete(weighted), layer);
    }

    private Tensor ofChosen(TransformerWeights.Linear weight, Tensor x, Tensor chosen) {
        Tensor product = ops.mulMatId(weight.weight(), x, chosen);
        return weight.bias() == null ? product : ops.addId(product, weight.bias(), chosen);
    }

    /** The shares of the chosen experts among themselves, as {@code [1, used, tokens]}. */
    private Tensor lateWeights(Tensor logits, Tensor chosen, long tokens, int layer) {
        Tensor picked = ops.getRows(ops.reshape(logits, 1, shape.experts(), tokens), chosen)
                .named(inLayer("ffn_moe_weights", layer));
        Tensor shares = ops.softMax(ops.reshape(picked, shape.usedExperts(), tokens));
        return scaled(ops.reshape(shares, 1, shape.usedExperts(), tokens), layer);
    }

    /** The numbers of the experts each token goes through, the best first. */
    private Tensor chosen(Tensor shares, int layer) {
        Tensor chosen = ops.argsortTopK(shares, shape.usedExperts()).named(inLayer("ffn_moe_topk", layer));
        chosen.source(0).named(inLayer("ffn_moe_argsort", layer));
        return chosen;
    }

    /** The shares of the chosen experts, made to sum up to 1, as {@code [1, used, tokens]}. */
    private Tensor weights(Tensor shares, Tensor chosen, long tokens, int layer) {
        Tensor picked = ops.getRows(ops.reshape(shares, 1, shape.experts(), tokens), chosen)
                .named(inLayer("ffn_moe_weights", layer));
        Tensor rows = ops.reshape(picked, shape.usedExperts(), tokens);
        Tensor sum = ops.sumRows(rows).named(inLayer("ffn_moe_weights_sum", layer));
        Tensor divisor = ops.clamp(sum, SMALLEST_SUM, Float.POSITIVE_INFINITY)
                .named(inLayer("ffn_moe_weights_sum_clamped", layer));
        Tensor normed = ops.div(rows, divisor).named(inLayer("ffn_moe_weights_norm", layer));
        return scaled(ops.reshape(normed, 1, shape.usedExperts(), tokens), layer);
    }

    private Tensor scaled(Tensor shared, int layer) {
        float scale = shape.expertScale();
        return scale == 0f || scale == 1f
                ? shared
                : ops.scale(shared, scale).named(inLayer("ffn_moe_weights_scaled", layer));
    }

    private Tensor sum(Tensor weighted, int layer) {
        List<Tensor> parts = new ArrayList<>();
        for (int i = 0; i < shape.usedExperts(); i++) {
            Tensor part =
                    ops.view2d(weighted, shape.width(), weighted.dim(2), weighted.stride(2), i * weighted.stride(1));
            parts.add(builder.complete(part));
        }
        Tensor sum = parts.getFirst();
        for (Tensor part : parts.subList(1, parts.size())) {
            sum = builder.complete(ops.add(sum, part));
        }
        // A view of one expert has gaps, which what follows could not read.
        Tensor whole = parts.size() == 1 ? ops.cont(sum) : sum;
        return whole.named(inLayer("ffn_moe_out", layer));
    }
}
