package dev.stowage.bench.ggml.op;

import dev.stowage.bench.ggml.GgmlCalls;
import dev.stowage.bench.ggml.GgmlOpParameters;
import dev.stowage.bench.ggml.GgmlTensor;
import dev.stowage.bench.ggml.op.OpPairs.Pair;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Precision;
import dev.stowage.tensor.RopeFrequencies;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.RopeSections;

/** Softmax, attention and positions. */
final class AttentionOpChecks {

    private AttentionOpChecks() {}

    static void run(OpPairs t) {
        softMax(t);
        flashAttention(t);
        rope(t);
        relativePositions(t);
    }

    private static void softMax(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair a = t.f32(9, 4, 2);
        Pair mask = t.f16(9, 5, 2);
        Pair sinks = t.f32(2);
        t.same(b.softMax(a.ours()), "ggml_soft_max", a);
        t.same(b.softMax(a.ours(), mask.ours(), 0.25f, 8f), "ggml_soft_max_ext", a, mask, 0.25f, 8f);
        t.same(b.softMaxInplace(a.ours(), mask.ours(), 0.25f, 8f), "ggml_soft_max_ext_inplace", a, mask, 0.25f, 8f);
        GgmlTensor sunk = t.change(t.make("ggml_soft_max_ext", a, mask, 0.25f, 8f), "ggml_soft_max_add_sinks", sinks);
        t.same(b.softMax(a.ours(), mask.ours(), sinks.ours(), 0.25f, 8f), sunk);
    }

    private static void flashAttention(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair q = t.f32(64, 3, 4);
        Pair k = t.leaf(ElementType.Q8_0, 64, 9, 2);
        Pair v = t.f16(32, 9, 2);
        Pair mask = t.f16(9, 3);
        Pair sinks = t.f32(4);
        t.same(
                b.flashAttention(q.ours(), k.ours(), v.ours(), null, 0.25f, 0f, 30f),
                "ggml_flash_attn_ext",
                q,
                k,
                v,
                GgmlCalls.NOTHING,
                0.25f,
                0f,
                30f);
        GgmlTensor precise = t.change(
                t.make("ggml_flash_attn_ext", q, k, v, mask, 0.25f, 8f, 30f),
                "ggml_flash_attn_ext_set_prec",
                GgmlOpParameters.code(Precision.F32));
        OpParameters.FlashAttention parameters = new OpParameters.FlashAttention(0.25f, 8f, 30f, Precision.F32);
        t.same(
                b.flashAttention(q.ours(), k.ours(), v.ours(), mask.ours(), sinks.ours(), parameters),
                t.change(precise, "ggml_flash_attn_ext_add_sinks", sinks));
        Pair queries = t.f32(64, 4, 3);
        Pair keys = t.leaf(ElementType.F32, 64, 1, 9);
        Pair weights = t.f32(4, 3);
        t.same(
                b.lightningIndexer(queries.ours(), keys.ours(), weights.ours(), mask.ours()),
                "ggml_lightning_indexer",
                queries,
                keys,
                weights,
                mask);
    }

    private static void rope(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair a = t.f32(16, 2, 3);
        Pair positions = t.i32(3);
        Pair four = t.i32(12);
        Pair factors = t.f32(8);
        RopeFrequencies f = new RopeFrequencies(4096, 500000f, 0.25f, 0.5f, 1.5f, 32f, 2f);
        for (RopeMode mode : new RopeMode[] {RopeMode.NORMAL, RopeMode.NEOX}) {
            OpParameters.Rope rope = OpParameters.Rope.of(12, mode).withFrequencies(f);
            Object[] arguments = {a, positions, factors, 12, mode.code(), 4096, 500000f, 0.25f, 0.5f, 1.5f, 32f, 2f};
            t.same(b.rope(a.ours(), positions.ours(), factors.ours(), rope), "ggml_rope_ext", arguments);
            t.same(b.ropeBack(a.ours(), positions.ours(), factors.ours(), rope), "ggml_rope_ext_back", arguments);
            GgmlTensor shifted = t.change(t.make("ggml_rope_ext", arguments), "ggml_rope_set_offset", 4);
            t.same(b.rope(a.ours(), positions.ours(), factors.ours(), rope.withOffset(4)), shifted);
        }
        for (RopeMode mode : new RopeMode[] {RopeMode.MROPE, RopeMode.VISION, RopeMode.IMROPE}) {
            int dimensions = mode == RopeMode.VISION ? 8 : 16;
            OpParameters.Rope rope = OpParameters.Rope.of(dimensions, mode)
                    .withFrequencies(f)
                    .withSections(new RopeSections(1, 2, 3, 4));
            t.same(
                    b.rope(a.ours(), four.ours(), null, rope),
                    "ggml_rope_multi",
                    a,
                    four,
                    GgmlCalls.NOTHING,
                    dimensions,
                    new int[] {1, 2, 3, 4},
                    mode.code(),
                    4096,
                    500000f,
                    0.25f,
                    0.5f,
                    1.5f,
                    32f,
                    2f);
        }
    }

    private static void relativePositions(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair table = t.f16(6, 9);
        Pair scores = t.f32(16, 16, 3);
        Pair horizontal = t.f32(4, 4, 4, 3);
        Pair vertical = t.f32(4, 4, 4, 3);
        t.same(b.getRelPos(table.ours(), 5, 5), "ggml_get_rel_pos", table, 5, 5);
        t.same(
                b.addRelPos(scores.ours(), horizontal.ours(), vertical.ours()),
                "ggml_add_rel_pos",
                scores,
                horizontal,
                vertical);
        t.same(
                b.addRelPosInplace(scores.ours(), horizontal.ours(), vertical.ours()),
                "ggml_add_rel_pos_inplace",
                scores,
                horizontal,
                vertical);
    }
}
