package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.BF16;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.Window;

/** Kernels that slide over sequences, images and volumes, with steps, padding and dilation. */
final class WindowCases {

    private static final Window WIDE = new Window(2, 1, 2);

    private WindowCases() {}

    static void addTo(CaseList cases) {
        im2col(cases);
        im2col3d(cases);
        col2im(cases);
        conv2d(cases);
        conv2dDepthwise(cases);
        conv3d(cases);
        transposed(cases);
    }

    private static void im2col(CaseList cases) {
        for (ElementType type : new ElementType[] {F32, F16}) {
            cases.add(Op.IM2COL, o -> columns(o, type, 9, 7, 3, 2, Window.UNIT, Window.UNIT));
            cases.add(Op.IM2COL, o -> columns(o, type, 9, 7, 3, 2, WIDE, new Window(1, 2, 1)));
            cases.add(Op.IM2COL, o -> sequence(o, type, 20, 3, 2, new Window(2, 1, 1)));
        }
        cases.add(Op.IM2COL, o -> columns(o, F32, 3, 3, 1, 1, Window.UNIT, Window.UNIT));
        cases.add(Op.IM2COL, o -> sequence(o, F32, 9, 4, 1, new Window(1, 4, 3)));
        cases.add(
                Op.IM2COL,
                o -> o.exact()
                        .note("to f16")
                        .b()
                        .im2col(o.of(F16, 3, 2, 3, 4), o.of(F16, 9, 7, 3, 2), Window.UNIT, Window.UNIT, F16));
        cases.add(
                Op.IM2COL,
                o -> o.note("to f32")
                        .exact()
                        .b()
                        .im2col(
                                o.of(F32, 3, 2, 3, 4),
                                o.formed(OperandLayout.CUT, F32, 9, 7, 3),
                                Window.UNIT,
                                Window.UNIT,
                                F32));
        cases.random(Op.IM2COL, o -> {
            ElementType type = o.oneOf(F32, F16);
            Window width = window(o);
            Window height = window(o);
            int w = 2 * width.dilation() + 1 + o.size(20);
            int h = height.dilation() + 1 + o.size(12);
            return columns(o, type, w, h, o.between(1, 5), o.between(1, 3), width, height);
        });
    }

    private static Tensor columns(
            Operands o, ElementType type, long w, long h, long channels, long n, Window x, Window y) {
        return slid(o, x, y)
                .note("to " + type)
                .exact()
                .b()
                .im2col(o.of(type, 3, 2, channels, 4), o.f32(w, h, channels, n), x, y, type);
    }

    private static Tensor sequence(Operands o, ElementType type, long length, long channels, long n, Window window) {
        return slid(o, window)
                .note("to " + type)
                .exact()
                .b()
                .im2col1d(o.of(type, 3, channels, 2), o.f32(length, channels, n), window, type);
    }

    private static Operands slid(Operands o, Window... windows) {
        for (Window window : windows) {
            o.note("s" + window.stride() + "p" + window.padding() + "d" + window.dilation());
        }
        return o;
    }

    private static Window window(Operands o) {
        return new Window(o.between(1, 3), o.between(0, 2), o.between(1, 2));
    }

    private static void im2col3d(CaseList cases) {
        for (ElementType type : new ElementType[] {F32, F16}) {
            cases.add(Op.IM2COL_3D, o -> volumeColumns(o, type, 6, 5, 4, 2, 3, Window.UNIT, Window.UNIT));
            cases.add(Op.IM2COL_3D, o -> volumeColumns(o, type, 7, 6, 5, 3, 1, WIDE, new Window(1, 1, 1)));
        }
        cases.random(Op.IM2COL_3D, o -> {
            Window width = window(o);
            Window depth = window(o);
            return volumeColumns(
                    o,
                    o.oneOf(F32, F16),
                    5 + o.size(8),
                    3 + o.size(6),
                    3 + o.size(4),
                    o.between(1, 3),
                    o.between(1, 2),
                    width,
                    depth);
        });
    }

    private static Tensor volumeColumns(
            Operands o, ElementType type, long w, long h, long d, int channels, int n, Window width, Window depth) {
        return slid(o, width, depth)
                .note("to " + type + ", " + channels + " channels")
                .exact()
                .b()
                .im2col3d(
                        o.of(type, 3, 2, 2, 2L * channels),
                        o.f32(w, h, d, (long) channels * n),
                        channels,
                        width,
                        Window.UNIT,
                        depth,
                        type);
    }

    private static void col2im(CaseList cases) {
        for (ElementType type : new ElementType[] {F32, F16, BF16}) {
            cases.add(Op.COL2IM_1D, o -> overlaid(o, type, 4, 3, 7, 2, 0));
        }
        cases.add(Op.COL2IM_1D, o -> overlaid(o, F32, 5, 2, 9, 1, 1));
        cases.add(Op.COL2IM_1D, o -> overlaid(o, F32, 2, 1, 1, 3, 0));
        cases.add(Op.COL2IM_1D, o -> overlaid(o, F32, 2, 4, 5, 3, 0));
        cases.random(
                Op.COL2IM_1D,
                o -> overlaid(
                        o,
                        o.oneOf(F32, F16),
                        o.between(3, 9),
                        o.between(1, 5),
                        o.size(20),
                        o.between(1, 4),
                        o.between(0, 1)));
    }

    private static Tensor overlaid(
            Operands o, ElementType type, int kernel, int channels, long n, int stride, int padding) {
        return o.note("s" + stride + "p" + padding + ", " + channels + " channels")
                .b()
                .col2im1d(o.of(type, (long) kernel * channels, n), stride, channels, padding);
    }

    private static void conv2d(CaseList cases) {
        for (ElementType type : new ElementType[] {F32, F16}) {
            cases.add(
                    Op.CONV_2D, o -> convolved(o, o.of(type, 3, 3, 2, 4), o.f32(8, 7, 2, 2), Window.UNIT, Window.UNIT));
            cases.add(
                    Op.CONV_2D,
                    o -> convolved(o, o.of(type, 3, 2, 5, 3), o.f32(11, 9, 5, 1), WIDE, new Window(1, 2, 1)));
        }
        cases.add(Op.CONV_2D, o -> convolved(o, o.f32(1, 1, 3, 2), o.f32(5, 4, 3, 2), Window.UNIT, Window.UNIT));
        cases.add(
                Op.CONV_2D,
                o -> convolved(
                        o, o.f32(3, 3, 2, 1), o.formed(OperandLayout.CUT, F32, 6, 5, 2), Window.UNIT, Window.UNIT));
        cases.random(Op.CONV_2D, o -> {
            long channels = o.between(1, 6);
            return convolved(
                    o,
                    o.of(o.oneOf(F32, F16), o.between(1, 3), o.between(1, 3), channels, o.between(1, 6)),
                    o.f32(5 + o.size(12), 5 + o.size(9), channels, o.between(1, 2)),
                    window(o),
                    window(o));
        });
    }

    private static Tensor convolved(Operands o, Tensor kernel, Tensor data, Window width, Window height) {
        return close(slid(o, width, height), kernel).b().conv2dDirect(kernel, data, width, height);
    }

    private static Operands close(Operands o, Tensor kernel) {
        return kernel.type() == F32 ? o : o.within(Tolerances.HALF_PRODUCT);
    }

    private static void conv2dDepthwise(CaseList cases) {
        for (ElementType type : new ElementType[] {F32, F16}) {
            cases.add(Op.CONV_2D_DW, o -> depthwise(o, type, 17, 9, 5, 2, Window.UNIT, false));
            cases.add(Op.CONV_2D_DW, o -> depthwise(o, type, 17, 9, 5, 2, Window.UNIT, true));
            cases.add(Op.CONV_2D_DW, o -> depthwise(o, type, 9, 9, 16, 1, WIDE, false));
            cases.add(Op.CONV_2D_DW, o -> depthwise(o, type, 9, 9, 19, 1, WIDE, true));
        }
        cases.random(
                Op.CONV_2D_DW,
                o -> depthwise(
                        o,
                        o.oneOf(F32, F16),
                        5 + o.size(12),
                        5 + o.size(9),
                        o.between(2, 20),
                        o.between(1, 2),
                        window(o),
                        o.coin()));
    }

    /** With the channels first or innermost in memory; then the kernel has them so as well. */
    private static Tensor depthwise(
            Operands o,
            ElementType type,
            long w,
            long h,
            long channels,
            long n,
            Window window,
            boolean channelsInside) {
        slid(o, window);
        Tensor kernel = channelsInside
                ? o.b().permute(o.of(type, channels, 1, 3, 3), 3, 2, 0, 1)
                : o.of(type, 3, 3, 1, channels);
        Tensor data = channelsInside ? o.b().permute(o.f32(channels, w, h, n), 2, 0, 1, 3) : o.f32(w, h, channels, n);
        return close(o, kernel).b().conv2dDepthwiseDirect(kernel, data, window, window);
    }

    private static void conv3d(CaseList cases) {
        for (ElementType type : new ElementType[] {F32, F16}) {
            cases.add(Op.CONV_3D, o -> volume(o, type, 6, 5, 4, 2, 3, 2, Window.UNIT));
            cases.add(Op.CONV_3D, o -> volume(o, type, 9, 7, 7, 3, 1, 4, WIDE));
        }
        cases.random(
                Op.CONV_3D,
                o -> volume(
                        o,
                        o.oneOf(F32, F16),
                        5 + o.size(6),
                        5 + o.size(5),
                        5 + o.size(3),
                        o.between(1, 3),
                        o.between(1, 2),
                        o.between(1, 3),
                        window(o)));
    }

    private static Tensor volume(
            Operands o,
            ElementType type,
            long w,
            long h,
            long d,
            int channels,
            int images,
            int kernels,
            Window window) {
        Tensor kernel = o.of(type, 3, 2, 2, (long) channels * kernels);
        return close(slid(o, window), kernel)
                .note(channels + " channels")
                .b()
                .conv3dDirect(
                        kernel,
                        o.f32(w, h, d, (long) channels * images),
                        window,
                        window,
                        window,
                        channels,
                        images,
                        kernels);
    }

    private static void transposed(CaseList cases) {
        for (ElementType type : new ElementType[] {F32, F16}) {
            for (int stride : new int[] {1, 2, 3}) {
                cases.add(Op.CONV_TRANSPOSE_1D, o -> spread(o, o.of(type, 3, 4, 2), o.f32(9, 2), stride));
                cases.add(Op.CONV_TRANSPOSE_2D, o -> spreadImage(o, o.of(type, 3, 2, 4, 2), o.f32(6, 5, 2, 1), stride));
            }
        }
        cases.add(Op.CONV_TRANSPOSE_1D, o -> spread(o, o.f32(1, 1, 1), o.f32(1, 1), 1));
        cases.random(Op.CONV_TRANSPOSE_1D, o -> {
            long in = o.between(1, 8);
            Tensor kernel = o.of(o.oneOf(F32, F16), o.between(1, 5), o.between(1, 6), in);
            return spread(o, kernel, o.f32(o.size(20), in), o.between(1, 3));
        });
        cases.random(Op.CONV_TRANSPOSE_2D, o -> {
            long in = o.between(1, 6);
            Tensor kernel = o.of(o.oneOf(F32, F16), o.between(1, 3), o.between(1, 3), o.between(1, 4), in);
            return spreadImage(o, kernel, o.f32(o.size(9), o.size(7), in, 1), o.between(1, 3));
        });
    }

    private static Tensor spread(Operands o, Tensor kernel, Tensor data, int stride) {
        return close(o.note("s" + stride), kernel).b().convTranspose1d(kernel, data, stride);
    }

    private static Tensor spreadImage(Operands o, Tensor kernel, Tensor data, int stride) {
        return close(o.note("s" + stride), kernel).b().convTranspose2d(kernel, data, stride);
    }
}
