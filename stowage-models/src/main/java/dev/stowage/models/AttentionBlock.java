package dev.stowage.models;

import static dev.stowage.models.LayerBuilder.inLayer;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.MulMatHint;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Precision;
import dev.stowage.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * The attention of a layer, op by op in the order of llama.cpp: queries, keys and values of the tokens, the store into
 * the cache, and attention over its cells.
 */
final class AttentionBlock {

    private final LayerBuilder builder;
    private final GraphBuilder ops;
    private final TransformerShape shape;
    private final Pass pass;
    private final TransformerWeights weights;
    private final TransformerInputs inputs;
    private final KeyValueCache cache;
    private final OpParameters.Rope rope;

    AttentionBlock(
            LayerBuilder builder,
            TransformerShape shape,
            Pass pass,
            TransformerWeights weights,
            TransformerInputs inputs,
            KeyValueCache cache) {
        this.builder = builder;
        this.ops = builder.ops();
        this.shape = shape;
        this.pass = pass;
        this.weights = weights;
        this.inputs = inputs;
        this.cache = cache;
        this.rope = shape.rope().parameters(shape.headSize());
    }

    /** What attention makes of {@code x[width, tokens]}, in the same shape. */
    Tensor attend(Tensor x, int layer) {
        TransformerWeights.Layer w = weights.layer(layer);
        Tensor query = positioned(heads(x, w.query(), shape.heads(), "Qcur", layer), w.queryNorm(), "Qcur", layer);
        Tensor key = positioned(heads(x, w.key(), shape.kvHeads(), "Kcur", layer), w.keyNorm(), "Kcur", layer);
        Tensor value = heads(x, w.value(), shape.kvHeads(), "Vcur", layer);
        query = rotated(query, inputs.keyRotation());
        key = rotated(key, inputs.keyRotation());
        value = rotated(value, inputs.valueRotation());
        builder.complete(query);
        builder.complete(value);
        builder.complete(key);
        builder.complete(cache.storeKeys(ops, key, inputs.keyCells(), layer));
        builder.complete(cache.storeValues(ops, value, inputs.valueCells(), layer));
        Tensor mixed = builder.complete(mixed(query, layer)).named(inLayer("kqv_out", layer));
        return builder.linear(w.output(), rotated(mixed, inputs.valueRotation()))
                .named(inLayer("attn_out", layer));
    }

    private Tensor heads(Tensor x, TransformerWeights.Linear weight, int heads, String name, int layer) {
        Tensor rows = builder.linear(weight, x).named(inLayer(name, layer));
        return ops.reshape(rows, shape.headSize(), heads, pass.tokens()).named(inLayer(name, layer));
    }

    private Tensor positioned(Tensor heads, @Nullable Tensor norm, String name, int layer) {
        Tensor normed = norm == null ? heads : builder.norm(heads, norm, layer).named(inLayer(name + "_normed", layer));
        return ops.rope(normed, inputs.positions(), weights.layer(layer).ropeFactors(), rope)
                .named(inLayer(name, layer));
    }

    /** Spreads outliers over their neighbours, so that less is lost when the rows are quantised. */
    private Tensor rotated(Tensor x, @Nullable Tensor rotation) {
        if (rotation == null) {
            return x;
        }
        long size = rotation.dim(0);
        Tensor pieces = ops.reshape(x, size, x.shape().elements() / size);
        Tensor turned = ops.mulMat(rotation, pieces, Precision.DEFAULT, MulMatHint.FIRST_IS_HADAMARD);
        return ops.reshape(turned, x.dim(0), x.dim(1), x.dim(2), x.dim(3));
    }

    /** The values of all cells mixed for each token, its heads concatenated. */
    private Tensor mixed(Tensor current, int layer) {
        Tensor all = ops.view4d(
                current,
                current.dim(0),
                current.dim(1),
                current.dim(2),
                1,
                current.stride(1),
                current.stride(2),
                current.stride(3),
                0);
        Tensor query = ops.permute(all, 0, 2, 1, 3);
        Tensor keys = ops.permute(cache.keys(ops, layer, pass.cells()), 0, 2, 1, 3);
        Tensor values = ops.permute(cache.values(ops, layer, pass.cells()), 0, 2, 1, 3);
        float scale = shape.scoreScale();
        return cache.isForFlash() ? fused(query, keys, values, scale) : plain(query, keys, values, scale, layer);
    }

    private Tensor fused(Tensor query, Tensor keys, Tensor values, float scale) {
        Tensor mixed = ops.flashAttention(
                query,
                halfPrecision(keys),
                halfPrecision(values),
                inputs.mask(),
                null,
                new OpParameters.FlashAttention(scale, 0f, 0f, Precision.F32));
        return ops.reshape(mixed, shape.queryWidth(), pass.tokens());
    }

    /** The fused op reads no f32, so an f32 cache is brought down to f16 before it. */
    private Tensor halfPrecision(Tensor x) {
        return x.type() == ElementType.F32 ? ops.cast(x, ElementType.F16) : x;
    }

    private Tensor plain(Tensor query, Tensor keys, Tensor values, float scale, int layer) {
        Tensor scores = ops.mulMat(keys, query, Precision.F32).named(inLayer("kq", layer));
        Tensor shares = ops.softMax(scores, inputs.mask(), scale, 0f).named(inLayer("kq_soft_max", layer));
        Tensor mixed = ops.mulMat(values, shares).named(inLayer("kqv", layer));
        return ops.cont(ops.permute(mixed, 0, 2, 1, 3), shape.queryWidth(), pass.tokens());
    }
}
