package dev.stowage.bench.ggml.op;

import dev.stowage.bench.ggml.GgmlOpParameters;
import dev.stowage.bench.ggml.op.OpPairs.Pair;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.InterpolationMode;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.PoolKind;
import dev.stowage.tensor.Shape;

/** Views, copies, and images made smaller, larger, moved or cut. */
final class ShapeOpChecks {

    private ShapeOpChecks() {}

    static void run(OpPairs t) {
        views(t);
        copies(t);
        pools(t);
        images(t);
        windows(t);
    }

    private static void views(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair a = t.f32(6, 4, 2, 3);
        t.same(b.reshape(a.ours(), 8, 18), "ggml_reshape_2d", a, 8L, 18L);
        t.same(b.view1d(a.ours(), 5, 8), "ggml_view_1d", a, 5L, 8L);
        t.same(b.view2d(a.ours(), 5, 3, 24, 8), "ggml_view_2d", a, 5L, 3L, 24L, 8L);
        t.same(b.view3d(a.ours(), 5, 3, 2, 24, 96, 8), "ggml_view_3d", a, 5L, 3L, 2L, 24L, 96L, 8L);
        t.same(b.view4d(a.ours(), 5, 3, 2, 2, 24, 96, 192, 8), "ggml_view_4d", a, 5L, 3L, 2L, 2L, 24L, 96L, 192L, 8L);
        t.same(b.permute(a.ours(), 2, 0, 3, 1), "ggml_permute", a, 2, 0, 3, 1);
        t.same(b.transpose(a.ours()), "ggml_transpose", a);
    }

    private static void copies(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair a = t.f32(6, 4, 2);
        Pair target = t.f16(12, 4);
        Pair other = t.f32(6, 3, 2);
        Pair row = t.f32(6);
        t.same(b.dup(a.ours()), "ggml_dup", a);
        t.same(b.cpy(a.ours(), target.ours()), "ggml_cpy", a, target);
        t.same(b.cont(a.ours()), "ggml_cont", a);
        t.same(b.cont(a.ours(), 8, 6), "ggml_cont_2d", a, 8L, 6L);
        t.same(b.concat(a.ours(), other.ours(), 1), "ggml_concat", a, other, 1);
        t.same(b.repeat(row.ours(), a.ours()), "ggml_repeat", row, a);
        t.same(b.repeat(row.ours(), 12, 2, 1, 3), "ggml_repeat_4d", row, 12L, 2L, 1L, 3L);
        t.same(b.set(a.ours(), row.ours(), 48, 96, 192, 24), "ggml_set", a, row, 48L, 96L, 192L, 24L);
        t.same(b.setInplace(a.ours(), row.ours(), 48, 96, 192, 24), "ggml_set_inplace", a, row, 48L, 96L, 192L, 24L);
    }

    private static void pools(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair a = t.f32(20, 16, 2);
        for (PoolKind kind : PoolKind.values()) {
            int code = GgmlOpParameters.code(kind);
            t.same(b.pool1d(a.ours(), kind, 4, 4, 0), "ggml_pool_1d", a, code, 4, 4, 0);
            t.same(b.pool2d(a.ours(), kind, 4, 5, 2, 3, 1, 2), "ggml_pool_2d", a, code, 4, 5, 2, 3, 1f, 2f);
            t.same(b.pool2d(a.ours(), kind, 4, 5, 2, 3, 0.5f, 1.5f), "ggml_pool_2d", a, code, 4, 5, 2, 3, 0.5f, 1.5f);
        }
    }

    private static void images(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair a = t.f32(6, 5, 2);
        Shape larger = new Shape(11, 13, 2, 1);
        for (InterpolationMode mode : InterpolationMode.values()) {
            int code = GgmlOpParameters.code(mode);
            t.same(b.upscale(a.ours(), 3, mode), "ggml_upscale", a, 3, code);
            t.same(b.interpolate(a.ours(), larger, mode), "ggml_interpolate", a, 11L, 13L, 2L, 1L, code);
            t.same(
                    b.interpolate(a.ours(), larger, mode, true, false),
                    "ggml_interpolate",
                    a,
                    11L,
                    13L,
                    2L,
                    1L,
                    code | 1 << 8);
        }
        t.same(
                b.interpolate(a.ours(), larger, InterpolationMode.BILINEAR, false, true),
                "ggml_interpolate",
                a,
                11L,
                13L,
                2L,
                1L,
                1 | 1 << 9);
    }

    private static void windows(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair a = t.f32(9, 8, 7, 6);
        t.same(b.pad(a.ours(), 1, 2, 3, 4), "ggml_pad", a, 1, 2, 3, 4);
        t.same(b.padCircular(a.ours(), 1, 2, 3, 4), "ggml_pad_circular", a, 1, 2, 3, 4);
        t.same(
                b.pad(a.ours(), new OpParameters.Pad(1, 2, 3, 4, 5, 6, 7, 8, false)),
                "ggml_pad_ext",
                a,
                1,
                2,
                3,
                4,
                5,
                6,
                7,
                8);
        t.same(b.padReflect1d(a.ours(), 2, 5), "ggml_pad_reflect_1d", a, 2, 5);
        t.same(b.roll(a.ours(), 4, -3, 2, -1), "ggml_roll", a, 4, -3, 2, -1);
        Pair image = t.f32(5, 10, 7);
        Pair parts = t.f32(5, 4, 4, 6);
        t.same(b.winPart(image.ours(), 4), "ggml_win_part", image, 4);
        t.same(b.winUnpart(parts.ours(), 10, 7, 4), "ggml_win_unpart", parts, 10, 7, 4);
        t.same(b.cast(image.ours(), ElementType.F16), "ggml_cast", image, ElementType.F16.code());
    }
}
