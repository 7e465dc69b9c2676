package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.BF16;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Precision;
import dev.stowage.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** Softmax and fused attention, with and without mask, slopes, sinks and cap, and with fewer heads of keys. */
final class AttentionCases {

    private static final double SOFT_MAX_ERROR = 1e-6;

    private AttentionCases() {}

    static void addTo(CaseList cases) {
        softMax(cases);
        flashAttention(cases);
        lightningIndexer(cases);
    }

    private static void softMax(CaseList cases) {
        long[][] shapes = {{1}, {33, 3}, {7, 4, 3, 2}, {1025}, {16, 0}};
        for (long[] shape : shapes) {
            cases.add(Op.SOFT_MAX, o -> o.within(SOFT_MAX_ERROR).b().softMax(o.f32(shape)));
        }
        cases.add(Op.SOFT_MAX, o -> o.within(SOFT_MAX_ERROR).b().softMaxInplace(o.f32(33, 3)));
        cases.add(
                Op.SOFT_MAX,
                o -> o.within(SOFT_MAX_ERROR)
                        .note("of large scores")
                        .b()
                        .softMax(o.filled(Fill.gaussian(300), F32, 33, 3)));
        for (ElementType type : new ElementType[] {F32, F16}) {
            cases.add(Op.SOFT_MAX, o -> soft(o, o.f32(33, 5, 4, 2), mask(o, type, 33, 5), false, 0.2f, 0f));
            cases.add(Op.SOFT_MAX, o -> soft(o, o.f32(16, 4, 6, 2), mask(o, type, 16, 8, 3, 2), false, 0.5f, 0f));
            cases.add(Op.SOFT_MAX, o -> soft(o, o.f32(16, 4, 6, 2), mask(o, type, 16, 4, 1, 2), false, 1f, 8f));
            cases.add(Op.SOFT_MAX, o -> soft(o, o.f32(16, 4, 4, 2), mask(o, type, 16, 4), true, 0.5f, 8f));
        }
        cases.add(Op.SOFT_MAX, o -> soft(o, o.f32(16, 4, 6), null, true, 0.5f, 0f));
        cases.add(Op.SOFT_MAX, o -> soft(o, o.f32(7, 3), null, false, 0.1f, 0f));
        cases.add(Op.SOFT_MAX, o -> soft(o, o.f32(9, 4), mask(o, F32, 9, 4), false, 1f, 0f));
        cases.add(
                Op.SOFT_MAX,
                o -> o.within(SOFT_MAX_ERROR)
                        .note("scale 0.3")
                        .b()
                        .softMaxInplace(o.f32(33, 5, 2), mask(o, F16, 33, 5), 0.3f, 0f));
        cases.random(Op.SOFT_MAX, o -> {
            long n = o.size(130);
            long rows = o.size(9);
            long heads = o.between(1, 5);
            long batches = o.between(1, 2);
            Tensor scores = o.f32(n, rows, heads, batches);
            boolean masked = o.coin();
            Tensor mask = masked
                    ? mask(
                            o,
                            o.oneOf(F32, F16),
                            n,
                            rows + o.between(0, 3),
                            o.coin() ? heads : 1,
                            o.coin() ? batches : 1)
                    : null;
            return soft(o, scores, mask, o.coin(), o.between(1, 16) / 8f, masked && o.coin() ? 8f : 0f);
        });
    }

    private static Tensor soft(
            Operands o, Tensor scores, @Nullable Tensor mask, boolean hasSinks, float scale, float maxBias) {
        o.within(SOFT_MAX_ERROR).note("scale " + scale);
        if (maxBias > 0) {
            o.note("bias " + maxBias);
        }
        Tensor sinks = hasSinks ? o.f32(scores.dim(2)) : null;
        return o.b().softMax(scores, mask, sinks, scale, maxBias);
    }

    private static Tensor mask(Operands o, ElementType type, long... shape) {
        return o.filled(Fill.mask(), type, shape);
    }

    private static void flashAttention(CaseList cases) {
        for (ElementType type : new ElementType[] {
            F32,
            F16,
            BF16,
            ElementType.Q8_0,
            ElementType.Q4_0,
            ElementType.Q4_1,
            ElementType.Q5_0,
            ElementType.Q5_1,
            ElementType.IQ4_NL
        }) {
            cases.add(
                    Op.FLASH_ATTN_EXT,
                    o -> new Attention(o, type, 64, 64, 5, 9, 4, 2, 1).masked().build(0.125f, 0f, 0f));
            cases.add(Op.FLASH_ATTN_EXT, o -> new Attention(o, type, 64, 32, 1, 33, 4, 4, 2).build(0.125f, 0f, 0f));
        }
        cases.add(
                Op.FLASH_ATTN_EXT,
                o -> new Attention(o, F16, 40, 40, 7, 20, 6, 3, 2).masked().build(0.2f, 8f, 0f));
        cases.add(
                Op.FLASH_ATTN_EXT,
                o -> new Attention(o, F16, 32, 32, 3, 8, 2, 2, 1).masked().build(0.2f, 0f, 10f));
        cases.add(
                Op.FLASH_ATTN_EXT,
                o -> new Attention(o, F16, 32, 32, 3, 8, 4, 2, 1)
                        .masked()
                        .sunk()
                        .build(0.2f, 0f, 0f));
        cases.add(Op.FLASH_ATTN_EXT, o -> new Attention(o, F16, 16, 16, 1, 1, 1, 1, 1).build(1f, 0f, 0f));
        cases.add(
                Op.FLASH_ATTN_EXT,
                o -> new Attention(o, F16, 32, 32, 5, 12, 4, 2, 2)
                        .permuted()
                        .masked()
                        .build(0.2f, 0f, 0f));
        largeHeads(cases);
        cases.random(Op.FLASH_ATTN_EXT, o -> {
            int size = 32 * o.between(1, 3);
            int shared = o.between(1, 3);
            int heads = shared * o.between(1, 3);
            Attention attention = new Attention(
                    o,
                    o.oneOf(F16, F16, F32, ElementType.Q8_0),
                    size,
                    size,
                    o.size(20),
                    o.size(40),
                    heads,
                    shared,
                    o.between(1, 2));
            if (o.coin()) {
                attention.permuted();
            }
            if (o.coin()) {
                attention.sunk();
            }
            if (o.coin()) {
                return attention.masked().build(0.15f, o.coin() ? 8f : 0f, 0f);
            }
            return attention.build(0.15f, 0f, o.coin() ? 20f : 0f);
        });
    }

    /** As many heads as large models have, which devices may compute in another way than few. */
    private static void largeHeads(CaseList cases) {
        for (ElementType type : new ElementType[] {F32, F16, BF16, ElementType.Q8_0}) {
            cases.add(
                    Op.FLASH_ATTN_EXT,
                    o -> new Attention(o, type, 128, 128, 1, 300, 16, 4, 1)
                            .permuted()
                            .masked()
                            .build(0.09f, 0f, 0f));
            cases.add(
                    Op.FLASH_ATTN_EXT,
                    o -> new Attention(o, type, 64, 64, 3, 70, 32, 16, 1)
                            .permuted()
                            .masked()
                            .sunk()
                            .build(0.125f, 0f, 0f));
            cases.add(
                    Op.FLASH_ATTN_EXT,
                    o -> new Attention(o, type, 128, 128, 20, 150, 16, 4, 1)
                            .permuted()
                            .masked()
                            .build(0.09f, 8f, 0f));
        }
        cases.add(
                Op.FLASH_ATTN_EXT,
                o -> new Attention(o, F16, 128, 128, 100, 264, 16, 4, 1)
                        .permuted()
                        .masked()
                        .build(0.09f, 0f, 0f));
        cases.add(
                Op.FLASH_ATTN_EXT,
                o -> new Attention(o, F16, 128, 128, 1, 5000, 16, 4, 1)
                        .permuted()
                        .masked()
                        .build(0.09f, 0f, 0f));
    }

    /** The operands of one fused attention. */
    private static final class Attention {

        private final Operands o;
        private final ElementType type;
        private final long[] q;
        private final long[] k;
        private final long[] v;
        private OperandLayout form = OperandLayout.PLAIN;
        private boolean masked;
        private boolean sunk;

        Attention(Operands o, ElementType type, int d, int e, int n, int m, int heads, int shared, int batches) {
            this.o = o;
            this.type = type;
            this.q = new long[] {d, n, heads, batches};
            this.k = new long[] {d, m, shared, batches};
            this.v = new long[] {e, m, shared, batches};
        }

        Attention masked() {
            masked = true;
            return this;
        }

        Attention sunk() {
            sunk = true;
            return this;
        }

        /** Tokens before heads in memory, as a cache of keys and values has them. */
        Attention permuted() {
            form = OperandLayout.PERMUTED;
            return this;
        }

        Tensor build(float scale, float maxBias, float softcap) {
            o.within(Tolerances.QUANTIZED);
            if (maxBias > 0) {
                o.note("bias " + maxBias);
            }
            if (softcap > 0) {
                o.note("cap " + softcap);
            }
            Tensor queries = o.formed(form, F32, q);
            Tensor keys = o.formed(form, type, k);
            Tensor values = o.formed(form, type, v);
            Tensor mask = masked ? mask(o, F16, k[1], q[1]) : null;
            Tensor sinks = sunk ? o.f32(q[2]) : null;
            return o.b().flashAttention(
                            queries,
                            keys,
                            values,
                            mask,
                            sinks,
                            new OpParameters.FlashAttention(scale, maxBias, softcap, Precision.DEFAULT));
        }
    }

    private static void lightningIndexer(CaseList cases) {
        for (ElementType type : new ElementType[] {F32, F16, BF16, ElementType.Q8_0}) {
            cases.add(Op.LIGHTNING_INDEXER, o -> indexed(o, type, 64, 4, 5, 9, 1, 1));
        }
        cases.add(Op.LIGHTNING_INDEXER, o -> indexed(o, F16, 32, 3, 7, 33, 2, 1));
        cases.add(Op.LIGHTNING_INDEXER, o -> indexed(o, F32, 16, 1, 1, 1, 2, 2));
        cases.random(
                Op.LIGHTNING_INDEXER,
                o -> indexed(
                        o,
                        o.oneOf(F32, F16),
                        16 * o.between(1, 5),
                        o.between(1, 6),
                        o.size(9),
                        o.size(40),
                        o.between(1, 2),
                        1));
    }

    private static Tensor indexed(
            Operands o, ElementType type, int d, int heads, int tokens, int keys, int b, int masks) {
        return o.within(type == F32 ? Tolerances.TABLE : Tolerances.QUANTIZED)
                .b()
                .lightningIndexer(
                        o.f32(d, heads, tokens, b),
                        o.of(type, d, 1, keys, b),
                        o.f32(heads, tokens, 1, b),
                        mask(o, F16, keys, tokens, 1, masks));
    }
}
