package dev.stowage.bench.ggml.op;

import dev.stowage.bench.ggml.op.OpPairs.Pair;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Window;

/** Convolutions, and the ops they are made of. */
final class WindowOpChecks {

    private static final Window WIDTH = new Window(2, 3, 4);
    private static final Window HEIGHT = new Window(5, 6, 7);
    private static final Window DEPTH = new Window(8, 9, 10);

    private WindowOpChecks() {}

    static void run(OpPairs t) {
        columns(t);
        convolutions(t);
        transposed(t);
    }

    private static void columns(OpPairs t) {
        GraphBuilder b = t.builder();
        int f16 = ElementType.F16.code();
        Pair kernel1 = t.f16(3, 4, 5);
        Pair sequence = t.f32(30, 4, 2);
        t.same(
                b.im2col1d(kernel1.ours(), sequence.ours(), WIDTH, ElementType.F16),
                "ggml_im2col",
                kernel1,
                sequence,
                2,
                0,
                3,
                0,
                4,
                0,
                false,
                f16);
        Pair kernel2 = t.f16(3, 2, 4, 5);
        Pair image = t.f32(30, 40, 4, 2);
        t.same(
                b.im2col(kernel2.ours(), image.ours(), WIDTH, HEIGHT, ElementType.F16),
                "ggml_im2col",
                kernel2,
                image,
                2,
                5,
                3,
                6,
                4,
                7,
                true,
                f16);
        Pair kernel3 = t.f16(3, 2, 2, 20);
        Pair volume = t.f32(30, 40, 20, 8);
        t.same(
                b.im2col3d(kernel3.ours(), volume.ours(), 4, WIDTH, HEIGHT, DEPTH, ElementType.F16),
                "ggml_im2col_3d",
                kernel3,
                volume,
                4L,
                2,
                5,
                8,
                3,
                6,
                9,
                4,
                7,
                10,
                f16);
        Pair columns = t.f32(12, 9);
        t.same(b.col2im1d(columns.ours(), 2, 4, 1), "ggml_col2im_1d", columns, 2, 4, 1);
    }

    private static void convolutions(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair image = t.f32(30, 40, 4, 2);
        Pair kernel = t.f16(3, 2, 4, 5);
        t.same(
                b.conv2dDirect(kernel.ours(), image.ours(), WIDTH, HEIGHT),
                "ggml_conv_2d_direct",
                kernel,
                image,
                2,
                5,
                3,
                6,
                4,
                7);
        Pair perChannel = t.f16(3, 2, 1, 4);
        t.same(
                b.conv2dDepthwiseDirect(perChannel.ours(), image.ours(), WIDTH, HEIGHT),
                "ggml_conv_2d_dw_direct",
                perChannel,
                image,
                2,
                5,
                3,
                6,
                4,
                7);
        Pair kernel3 = t.f16(3, 2, 2, 20);
        Pair volume = t.f32(30, 40, 20, 8);
        t.same(
                b.conv3dDirect(kernel3.ours(), volume.ours(), WIDTH, HEIGHT, DEPTH, 4, 2, 5),
                "ggml_conv_3d_direct",
                kernel3,
                volume,
                2,
                5,
                8,
                3,
                6,
                9,
                4,
                7,
                10,
                4,
                2,
                5);
    }

    private static void transposed(OpPairs t) {
        GraphBuilder b = t.builder();
        Pair kernel1 = t.f16(3, 4, 5);
        Pair sequence = t.f32(30, 5);
        t.same(
                b.convTranspose1d(kernel1.ours(), sequence.ours(), 3),
                "ggml_conv_transpose_1d",
                kernel1,
                sequence,
                3,
                0,
                1);
        Pair kernel2 = t.f16(3, 2, 4, 5);
        Pair image = t.f32(9, 8, 5, 2);
        t.same(b.convTranspose2d(kernel2.ours(), image.ours(), 3), "ggml_conv_transpose_2d_p0", kernel2, image, 3);
    }
}
