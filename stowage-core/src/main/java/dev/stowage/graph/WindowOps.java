package dev.stowage.graph;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.Window;

/**
 * Convolutions that are one op, and the op that lays out the elements under a sliding kernel so that a matrix product
 * can convolve them. Images are {@code [width, height, channels, images]}, sequences {@code [length, channels,
 * sequences]}. Along each dimension a kernel has
 * {@code (input + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1} positions; where it does not fit into the
 * padded input the op is refused.
 */
sealed interface WindowOps extends OpFamily permits GraphBuilder, ConvolutionOps {

    /**
     * The elements under each position of a kernel on sequences: {@code kernel[k, channels, ...]} and
     * {@code data[length, channels, n]} give {@code [k * channels, positions, n]} of that type.
     */
    default Tensor im2col1d(Tensor kernel, Tensor data, Window window, ElementType type) {
        OpCall call = OpCall.of(this, Op.IM2COL, new OpParameters.Im2col(window, Window.UNIT, false), kernel, data)
                .require(data.dim(1) == kernel.dim(1), "kernel and data must have the same channels (dimension 1)")
                .require(data.dim(3) == 1, "the data must have three dimensions");
        long length = call.positions(data.dim(0), kernel.dim(0), window);
        return call.result(type, call.product(kernel.dim(0), kernel.dim(1)), length, data.dim(2), 1);
    }

    /**
     * The elements under each position of a kernel on images: {@code kernel[kw, kh, channels, ...]} and
     * {@code data[w, h, channels, n]} give {@code [kw * kh * channels, positions in w, positions in h, n]} of that
     * type.
     */
    default Tensor im2col(Tensor kernel, Tensor data, Window width, Window height, ElementType type) {
        OpCall call = OpCall.of(this, Op.IM2COL, new OpParameters.Im2col(width, height, true), kernel, data)
                .require(kernel.dim(2) == data.dim(2), "kernel and data must have the same channels (dimension 2)");
        long columns = call.positions(data.dim(0), kernel.dim(0), width);
        long rows = call.positions(data.dim(1), kernel.dim(1), height);
        long under = call.product(kernel.dim(0), kernel.dim(1), kernel.dim(2));
        return call.result(type, under, columns, rows, data.dim(3));
    }

    /**
     * The elements under each position of a kernel on volumes: {@code kernel[kw, kh, kd, channels * kernels]} and
     * {@code data[w, h, d, channels * n]} give {@code [kw * kh * kd * channels, positions in w, positions in h,
     * positions in d * n]} of that type.
     */
    default Tensor im2col3d(
            Tensor kernel, Tensor data, long channels, Window width, Window height, Window depth, ElementType type) {
        OpParameters parameters = new OpParameters.Im2col3d(width, height, depth, channels);
        OpCall call = OpCall.of(this, Op.IM2COL_3D, parameters, kernel, data)
                .require(
                        channels > 0 && kernel.dim(3) % channels == 0 && data.dim(3) % channels == 0,
                        "dimension 3 of kernel and data must be a whole number of times the channels");
        long columns = call.positions(data.dim(0), kernel.dim(0), width);
        long rows = call.positions(data.dim(1), kernel.dim(1), height);
        long layers = call.positions(data.dim(2), kernel.dim(2), depth);
        long under = call.product(kernel.dim(0), kernel.dim(1), kernel.dim(2), channels);
        return call.result(type, under, columns, rows, call.product(layers, data.dim(3) / channels));
    }

    /**
     * Adds up overlapping windows again: {@code a[k * channels, n]} (f32, f16 or bf16, without gaps) gives
     * {@code [(n - 1) * stride + k - 2 * padding, channels]}.
     */
    default Tensor col2im1d(Tensor a, int stride, int channels, int padding) {
        OpCall call = OpCall.of(this, Op.COL2IM_1D, new OpParameters.Col2im1d(stride, channels, padding), a)
                .require(a.shape().isMatrix() && a.layout().isContiguous(), "the operand must be a matrix without gaps")
                .require(
                        a.type() == ElementType.F32 || a.type() == ElementType.F16 || a.type() == ElementType.BF16,
                        "the operand must be f32, f16 or bf16")
                .require(
                        stride > 0 && channels > 0 && padding >= 0,
                        "stride and channels must be above 0, padding not below")
                .require(a.dim(0) % channels == 0, "a row must be a whole number of times the channels");
        long length = call.spread(a.dim(1), a.dim(0) / channels, stride) - 2L * padding;
        return call.require(length > 0, "the padding must leave something").result(a.type(), length, channels);
    }

    /**
     * The convolution of images as one op: {@code kernel[kw, kh, channels, kernels]} and
     * {@code data[w, h, channels, n]} give {@code [positions in w, positions in h, kernels, n]} of the type of the
     * data.
     */
    default Tensor conv2dDirect(Tensor kernel, Tensor data, Window width, Window height) {
        OpCall call = OpCall.of(this, Op.CONV_2D, new OpParameters.Conv2d(width, height), kernel, data)
                .require(kernel.dim(2) == data.dim(2), "kernel and data must have the same channels (dimension 2)");
        long columns = call.positions(data.dim(0), kernel.dim(0), width);
        long rows = call.positions(data.dim(1), kernel.dim(1), height);
        return call.result(data.type(), columns, rows, kernel.dim(3), data.dim(3));
    }

    /**
     * The convolution of each channel with a kernel of its own, as one op: {@code kernel[kw, kh, 1, channels]} and
     * {@code data[w, h, channels, n]} give {@code [positions in w, positions in h, channels, n]} of the type of the
     * data. Where the channels of the data are contiguous in memory, so are those of the result.
     */
    default Tensor conv2dDepthwiseDirect(Tensor kernel, Tensor data, Window width, Window height) {
        OpCall call = OpCall.of(this, Op.CONV_2D_DW, new OpParameters.Conv2d(width, height), kernel, data)
                .require(
                        kernel.dim(2) == 1 && kernel.dim(3) == data.dim(2),
                        "there must be one kernel for each channel (dimension 2) of the data");
        long columns = call.positions(data.dim(0), kernel.dim(0), width);
        long rows = call.positions(data.dim(1), kernel.dim(1), height);
        if (!data.layout().hasContiguousChannels()) {
            return call.result(data.type(), columns, rows, data.dim(2), data.dim(3));
        }
        call.require(!data.type().isQuantized(), "the data must not be quantised");
        Layout channelsFirst =
                call.checked(() -> Layout.contiguous(data.type(), data.dim(2), columns, rows, data.dim(3)));
        Strides dense = channelsFirst.strides();
        Strides strides = new Strides(dense.s1(), dense.s2(), dense.s0(), dense.s3());
        Shape shape = new Shape(columns, rows, data.dim(2), data.dim(3));
        return call.result(Layout.strided(data.type(), shape, strides), "");
    }

    /**
     * The convolution of volumes as one op, as f32: {@code kernel[kw, kh, kd, channels * kernels]} and
     * {@code data[w, h, d, channels * images]} give {@code [positions in w, in h, in d, kernels * images]}.
     */
    default Tensor conv3dDirect(
            Tensor kernel,
            Tensor data,
            Window width,
            Window height,
            Window depth,
            int channels,
            int images,
            int kernels) {
        OpParameters parameters = new OpParameters.Conv3d(width, height, depth, channels, images, kernels);
        OpCall call = OpCall.of(this, Op.CONV_3D, parameters, kernel, data)
                .require(channels > 0 && images > 0 && kernels > 0, "channels, images and kernels must be above 0")
                .require(
                        kernel.dim(3) == (long) channels * kernels,
                        "dimension 3 of the kernel must be the channels times the kernels")
                .require(
                        data.dim(3) == (long) channels * images,
                        "dimension 3 of the data must be the channels times the images");
        return call.result(
                ElementType.F32,
                call.positions(data.dim(0), kernel.dim(0), width),
                call.positions(data.dim(1), kernel.dim(1), height),
                call.positions(data.dim(2), kernel.dim(2), depth),
                (long) kernels * images);
    }

    /**
     * The transposed convolution of sequences, as f32: {@code kernel[k, out, in]} and {@code data[length, in]} give
     * {@code [(length - 1) * stride + k, out]}.
     */
    default Tensor convTranspose1d(Tensor kernel, Tensor data, int stride) {
        OpCall call = OpCall.of(this, Op.CONV_TRANSPOSE_1D, new OpParameters.ConvTranspose(stride), kernel, data)
                .require(data.shape().isMatrix(), "the data must have two dimensions")
                .require(
                        kernel.dim(2) == data.dim(1) && kernel.dim(3) == 1,
                        "dimension 2 of the kernel must be the channels (dimension 1) of the data");
        long length = call.spread(data.dim(0), kernel.dim(0), stride);
        return call.result(ElementType.F32, length, kernel.dim(1), data.dim(2), 1);
    }

    /**
     * The transposed convolution of images, as f32: {@code kernel[kw, kh, out, in]} and {@code data[w, h, in, n]} give
     * {@code [(w - 1) * stride + kw, (h - 1) * stride + kh, out, n]}.
     */
    default Tensor convTranspose2d(Tensor kernel, Tensor data, int stride) {
        OpCall call = OpCall.of(this, Op.CONV_TRANSPOSE_2D, new OpParameters.ConvTranspose(stride), kernel, data)
                .require(
                        kernel.dim(3) == data.dim(2),
                        "dimension 3 of the kernel must be the channels (dimension 2) of the data");
        long columns = call.spread(data.dim(0), kernel.dim(0), stride);
        long rows = call.spread(data.dim(1), kernel.dim(1), stride);
        return call.result(ElementType.F32, columns, rows, kernel.dim(2), data.dim(3));
    }
}
