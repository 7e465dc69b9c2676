package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;

import dev.stowage.tensor.InterpolationMode;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.PoolKind;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;

/** Images and sequences made smaller, larger, moved, padded or cut into windows. */
final class ImageCases {

    private ImageCases() {}

    static void addTo(CaseList cases) {
        pool(cases);
        upscale(cases);
        pad(cases);
        roll(cases);
        windows(cases);
    }

    private static void pool(CaseList cases) {
        for (PoolKind kind : PoolKind.values()) {
            cases.add(Op.POOL_1D, o -> pooled(o, o.f32(10, 3, 2), kind, 2, 2, 0));
            cases.add(Op.POOL_1D, o -> pooled(o, o.f32(11, 3), kind, 3, 1, 1));
            cases.add(Op.POOL_1D, o -> pooled(o, o.of(F16, 11, 3), kind, 3, 2, 1));
            cases.add(Op.POOL_1D, o -> pooled(o, o.f32(1), kind, 1, 1, 0));
            cases.add(Op.POOL_2D, o -> pooled(o, o.f32(10, 8, 3, 2), kind, 2, 2, 2, 2, 0, 0));
            cases.add(Op.POOL_2D, o -> pooled(o, o.f32(11, 9, 3), kind, 3, 2, 1, 2, 1, 1));
            cases.add(Op.POOL_2D, o -> pooled(o, o.of(F16, 11, 9, 2), kind, 3, 3, 2, 1, 1, 0));
        }
        cases.random(Op.POOL_1D, o -> {
            int size = o.between(1, 4);
            Tensor a = o.of(o.oneOf(F32, F16), 3 + o.size(40), o.size(9), o.between(1, 2));
            return pooled(o, a, o.oneOf(PoolKind.values()), size, o.between(1, 3), o.between(0, size / 2));
        });
        cases.random(Op.POOL_2D, o -> {
            int size0 = o.between(1, 4);
            int size1 = o.between(1, 4);
            return pooled(
                    o,
                    o.of(o.oneOf(F32, F16), 3 + o.size(20), 3 + o.size(12), o.between(1, 4), o.between(1, 2)),
                    o.oneOf(PoolKind.values()),
                    size0,
                    size1,
                    o.between(1, 3),
                    o.between(1, 3),
                    o.between(0, size0 / 2),
                    o.between(0, size1 / 2));
        });
    }

    private static Tensor pooled(Operands o, Tensor a, PoolKind kind, int size, int stride, int padding) {
        return o.note(kind + " of " + size + " s" + stride + "p" + padding).b().pool1d(a, kind, size, stride, padding);
    }

    private static Tensor pooled(
            Operands o,
            Tensor a,
            PoolKind kind,
            int size0,
            int size1,
            int stride0,
            int stride1,
            int padding0,
            int padding1) {
        return o.note(kind + " of " + size0 + "," + size1 + " s" + stride0 + "," + stride1 + " p" + padding0 + ","
                        + padding1)
                .b()
                .pool2d(a, kind, size0, size1, stride0, stride1, padding0, padding1);
    }

    private static void upscale(CaseList cases) {
        for (InterpolationMode mode : InterpolationMode.values()) {
            cases.add(Op.UPSCALE, o -> o.note(mode + " by 2").b().upscale(o.f32(7, 5, 3, 2), 2, mode));
            cases.add(Op.UPSCALE, o -> stretched(o, o.f32(7, 5, 3), new Shape(12, 9, 3, 1), mode, false, false));
            cases.add(Op.UPSCALE, o -> stretched(o, o.f32(12, 9, 2), new Shape(5, 4, 2, 1), mode, false, false));
            if (mode != InterpolationMode.NEAREST) {
                cases.add(Op.UPSCALE, o -> stretched(o, o.f32(7, 5, 2), new Shape(13, 9, 2, 1), mode, true, false));
            }
        }
        cases.add(
                Op.UPSCALE,
                o -> stretched(o, o.f32(12, 9, 2), new Shape(5, 4, 2, 1), InterpolationMode.BILINEAR, false, true));
        cases.add(
                Op.UPSCALE,
                o -> stretched(
                        o,
                        o.formed(OperandLayout.CUT, F32, 7, 5, 3),
                        new Shape(14, 10, 3, 1),
                        InterpolationMode.NEAREST,
                        false,
                        false));
        cases.random(Op.UPSCALE, o -> {
            InterpolationMode mode = o.oneOf(InterpolationMode.values());
            long channels = o.between(1, 3);
            boolean antialias = mode == InterpolationMode.BILINEAR && o.coin();
            return stretched(
                    o,
                    o.f32(2 + o.size(12), 2 + o.size(9), channels, 1),
                    new Shape(2 + o.size(20), 2 + o.size(20), channels, 1),
                    mode,
                    mode != InterpolationMode.NEAREST && !antialias && o.coin(),
                    antialias);
        });
    }

    private static Tensor stretched(
            Operands o, Tensor a, Shape shape, InterpolationMode mode, boolean alignCorners, boolean antialias) {
        o.note(mode + " to " + shape);
        if (alignCorners) {
            o.note("by corners");
        }
        if (antialias) {
            o.note("smoothed");
        }
        return o.within(Tolerances.TABLE).b().interpolate(a, shape, mode, alignCorners, antialias);
    }

    private static void pad(CaseList cases) {
        for (boolean circular : new boolean[] {false, true}) {
            cases.add(Op.PAD, o -> padded(o, o.f32(5, 4, 3, 2), circular, 0, 1, 0, 2, 0, 3, 0, 1));
            cases.add(Op.PAD, o -> padded(o, o.f32(5, 4, 3, 2), circular, 2, 1, 1, 0, 3, 1, 0, 2));
            cases.add(Op.PAD, o -> padded(o, o.f32(33, 2), circular, 0, 0, 0, 0, 0, 0, 0, 0));
            cases.add(
                    Op.PAD,
                    o -> padded(o, o.formed(OperandLayout.CUT, F32, 5, 4, 3), circular, 1, 2, 0, 1, 0, 0, 0, 0));
        }
        cases.random(
                Op.PAD,
                o -> padded(
                        o,
                        o.f32(4 + o.size(40), 4 + o.size(9), 4, 4),
                        o.coin(),
                        o.between(0, 4),
                        o.between(0, 4),
                        o.between(0, 3),
                        o.between(0, 3),
                        o.between(0, 2),
                        o.between(0, 2),
                        o.between(0, 1),
                        o.between(0, 1)));
        cases.add(Op.PAD_REFLECT_1D, o -> o.exact().note("4 and 3").b().padReflect1d(o.f32(9, 3, 2), 4, 3));
        cases.add(Op.PAD_REFLECT_1D, o -> o.exact().note("8 and 8").b().padReflect1d(o.f32(9, 3, 2, 2), 8, 8));
        cases.add(Op.PAD_REFLECT_1D, o -> o.exact().note("0 and 1").b().padReflect1d(o.f32(2), 0, 1));
        cases.random(Op.PAD_REFLECT_1D, o -> {
            int length = o.size(70);
            int before = o.between(0, length - 1);
            int after = o.between(0, length - 1);
            return o.exact()
                    .note(before + " and " + after)
                    .b()
                    .padReflect1d(o.f32(length, o.size(9), o.between(1, 2)), before, after);
        });
    }

    private static Tensor padded(Operands o, Tensor a, boolean circular, int... by) {
        OpParameters.Pad pad = new OpParameters.Pad(by[0], by[1], by[2], by[3], by[4], by[5], by[6], by[7], circular);
        o.exact().note(circular ? "circular" : "zeros");
        for (int count : by) {
            o.note(Integer.toString(count));
        }
        return o.b().pad(a, pad);
    }

    private static void roll(CaseList cases) {
        cases.add(Op.ROLL, o -> rolled(o, o.f32(9, 5, 4, 3), 3, -2, 1, -1));
        cases.add(Op.ROLL, o -> rolled(o, o.f32(33, 2), -32, 0, 0, 0));
        cases.add(Op.ROLL, o -> rolled(o, o.f32(1), 0, 0, 0, 0));
        cases.add(Op.ROLL, o -> rolled(o, o.formed(OperandLayout.CUT, F32, 9, 5, 4), 3, 2, -1, 0));
        cases.random(Op.ROLL, o -> {
            int[] shape = {o.size(40), o.size(9), o.between(1, 4), o.between(1, 3)};
            int[] by = new int[4];
            for (int i = 0; i < 4; i++) {
                by[i] = o.between(1 - shape[i], shape[i] - 1);
            }
            return rolled(o, o.f32(shape[0], shape[1], shape[2], shape[3]), by[0], by[1], by[2], by[3]);
        });
    }

    private static Tensor rolled(Operands o, Tensor a, int by0, int by1, int by2, int by3) {
        return o.exact()
                .note("by " + by0 + " " + by1 + " " + by2 + " " + by3)
                .b()
                .roll(a, by0, by1, by2, by3);
    }

    private static void windows(CaseList cases) {
        cases.add(Op.WIN_PART, o -> o.exact().note("edge 3").b().winPart(o.f32(5, 6, 9), 3));
        cases.add(Op.WIN_PART, o -> o.exact().note("edge 4").b().winPart(o.f32(5, 7, 9), 4));
        cases.add(Op.WIN_PART, o -> o.exact().note("edge 14").b().winPart(o.f32(1, 1, 1), 14));
        cases.random(Op.WIN_PART, o -> {
            int edge = o.between(1, 6);
            return o.exact().note("edge " + edge).b().winPart(o.f32(o.size(20), o.size(16), o.size(16)), edge);
        });
        cases.add(Op.WIN_UNPART, o -> whole(o, 5, 6, 9, 3));
        cases.add(Op.WIN_UNPART, o -> whole(o, 5, 7, 9, 4));
        cases.add(Op.WIN_UNPART, o -> whole(o, 1, 1, 1, 14));
        cases.random(Op.WIN_UNPART, o -> whole(o, o.size(20), o.size(16), o.size(16), o.between(1, 6)));
    }

    private static Tensor whole(Operands o, long channels, int width, int height, int edge) {
        long count = (long) Math.ceilDiv(width, edge) * Math.ceilDiv(height, edge);
        return o.exact()
                .note("to " + width + " x " + height)
                .b()
                .winUnpart(o.f32(channels, edge, edge, count), width, height, edge);
    }
}
