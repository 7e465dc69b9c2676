package dev.stowage.models;

import static dev.stowage.models.LayerBuilder.inLayer;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.MulMatHint;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Precision;
import dev.stowage.tensor.Tensor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The attention of a layer, op by op in the order of llama.cpp: queries, keys and values of the tokens, the store into
 * the cache, and attention over its cells; in an encoder, attention of the tokens to each other.
 */
final class AttentionBlock {

    private final LayerBuilder builder;
    private final GraphBuilder ops;
    private final TransformerShape shape;
    private final Pass pass;
    private final TransformerInputs inputs;
    private final KeyValueCache cache;
    private final OpParameters.Rope rope;
    private final OpParameters.Rope windowRope;

    AttentionBlock(
            LayerBuilder builder, TransformerShape shape, Pass pass, TransformerInputs inputs, KeyValueCache cache) {
        this.builder = builder;
        this.ops = builder.ops();
        this.shape = shape;
        this.pass = pass;
        this.inputs = inputs;
        this.cache = cache;
        this.rope = shape.rope().parameters(shape.headSize());
        this.windowRope = shape.traits().window().ropeOr(shape.rope()).parameters(shape.headSize());
    }

    /** What attention makes of {@code x[width, tokens]}, in the same shape. */
    Tensor attend(Tensor x, TransformerWeights.Attention w, int layer) {
        TransformerInputs.Cells cells = cells(layer);
        Heads heads = heads(x, w, layer);
        Tensor query = positioned(heads.query, w, "Qcur", layer);
        Tensor key = positioned(heads.key, w, "Kcur", layer);
        if (shape.traits().scalesQueries()) {
            query = ops.scale(query, shape.scoreScale());
        }
        query = rotated(query, inputs.keyRotation());
        key = rotated(key, inputs.keyRotation());
        Tensor value = rotated(heads.value, inputs.valueRotation());
        builder.complete(query);
        builder.complete(value);
        builder.complete(key);
        if (cells.keys() != null && cells.values() != null) {
            builder.complete(cache.storeKeys(ops, key, cells.keys(), layer));
            builder.complete(cache.storeValues(ops, value, cells.values(), layer));
            int seen = Math.toIntExact(cells.mask().dim(0));
            key = cache.keys(ops, layer, seen);
            value = cache.values(ops, layer, seen);
        }
        Tensor mixed = builder.complete(mixed(query, key, value, cells.mask(), w.sinks(), layer))
                .named(inLayer("kqv_out", layer));
        return builder.linear(w.output(), rotated(mixed, inputs.valueRotation()))
                .named(inLayer("attn_out", layer));
    }

    /** Queries, keys and values, {@code [headSize, heads, tokens]} each, with their norms. */
    private record Heads(Tensor query, Tensor key, Tensor value) {}

    private TransformerInputs.Cells cells(int layer) {
        boolean isWindow = shape.traits().window().isIn(layer);
        return Objects.requireNonNull(isWindow ? inputs.window() : inputs.cells());
    }

    private Heads heads(Tensor x, TransformerWeights.Attention w, int layer) {
        if (w.key() == null || w.value() == null) {
            Tensor all = builder.linear(w.query(), x).named(inLayer("wqkv", layer));
            return new Heads(
                    normed(part(all, 0, shape.heads()), w.queryNorm(), "Qcur", layer),
                    normed(part(all, shape.queryWidth(), shape.kvHeads()), w.keyNorm(), "Kcur", layer),
                    part(all, shape.queryWidth() + shape.kvWidth(), shape.kvHeads())
                            .named(inLayer("Vcur", layer)));
        }
        return new Heads(
                heads(x, w.query(), w.queryNorm(), shape.heads(), "Qcur", layer),
                heads(x, w.key(), w.keyNorm(), shape.kvHeads(), "Kcur", layer),
                heads(x, w.value(), null, shape.kvHeads(), "Vcur", layer));
    }

    /** Heads that are part of the rows of a tensor, from an element on. */
    private Tensor part(Tensor all, long from, int heads) {
        long size = all.type().rowBytes(shape.headSize());
        return ops.view3d(
                all,
                shape.headSize(),
                heads,
                pass.tokens(),
                size,
                all.stride(1),
                all.type().rowBytes(from));
    }

    private Tensor heads(
            Tensor x, TransformerWeights.Linear weight, @Nullable Tensor norm, int heads, String name, int layer) {
        Tensor rows = builder.linear(weight, x).named(inLayer(name, layer));
        boolean isWhole = shape.traits().wholeNorms();
        Tensor normedRows = isWhole ? normed(rows, norm, name, layer) : rows;
        Tensor each =
                ops.reshape(normedRows, shape.headSize(), heads, pass.tokens()).named(inLayer(name, layer));
        return isWhole ? each : normed(each, norm, name, layer);
    }

    private Tensor normed(Tensor x, @Nullable Tensor norm, String name, int layer) {
        return norm == null ? x : builder.norm(x, norm, layer).named(inLayer(name + "_normed", layer));
    }

    private Tensor positioned(Tensor heads, TransformerWeights.Attention w, String name, int layer) {
        if (!shape.traits().hasRope(layer)) {
            return heads;
        }
        boolean isWindow = shape.traits().window().isIn(layer);
        boolean isLong = shape.rope().isBeyondOriginal(cache.cells());
        return ops.rope(heads, inputs.positions(), w.ropeFactors().in(isLong), isWindow ? windowRope : rope)
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

    /** The values of all that may be looked at mixed for each token, its heads concatenated. */
    private Tensor mixed(Tensor current, Tensor key, Tensor value, Tensor mask, @Nullable Tensor sinks, int layer) {
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
        Tensor keys = ops.permute(key, 0, 2, 1, 3);
        Tensor values = ops.permute(value, 0, 2, 1, 3);
        float scale = shape.traits().scalesQueries() ? 1f : shape.scoreScale();
        return cache.isForFlash()
                ? fused(query, keys, values, mask, sinks, scale)
                : plain(query, keys, byElement(values), mask, sinks, scale, layer);
    }

    /** Values with those of one element consecutive, as a cache for plain attention stores them. */
    private Tensor byElement(Tensor values) {
        return shape.isEncoder() ? ops.cont(ops.transpose(values)) : values;
    }

    private Tensor fused(Tensor query, Tensor keys, Tensor values, Tensor mask, @Nullable Tensor sinks, float scale) {
        Tensor mixed = ops.flashAttention(
                query,
                halfPrecision(keys),
                halfPrecision(values),
                mask,
                sinks,
                new OpParameters.FlashAttention(scale, 0f, shape.traits().scoreCap(), Precision.F32));
        return ops.reshape(mixed, shape.queryWidth(), pass.tokens());
    }

    /** The fused op reads no f32, so an f32 cache is brought down to f16 before it. */
    private Tensor halfPrecision(Tensor x) {
        return x.type() == ElementType.F32 ? ops.cast(x, ElementType.F16) : x;
    }

    private Tensor plain(
            Tensor query, Tensor keys, Tensor values, Tensor mask, @Nullable Tensor sinks, float scale, int layer) {
        Tensor products = ops.mulMat(keys, query, Precision.F32).named(inLayer("kq", layer));
        Tensor scores = builder.capped(products, shape.traits().scoreCap());
        Tensor shares = ops.softMax(scores, mask, sinks, scale, 0f).named(inLayer("kq_soft_max", layer));
        Tensor mixed = ops.mulMat(values, shares).named(inLayer("kqv", layer));
        return ops.cont(ops.permute(mixed, 0, 2, 1, 3), shape.queryWidth(), pass.tokens());
    }
}
