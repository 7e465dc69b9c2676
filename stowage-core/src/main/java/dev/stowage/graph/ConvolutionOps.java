package dev.stowage.graph;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.Window;
import java.util.function.Supplier;

/**
 * Convolutions composed of other ops, node for node as in ggml: the elements under the kernel are
 * laid out in rows, a matrix product convolves them, and views give the result its shape. Operands are shaped as in
 * {@link WindowOps}.
 */
sealed interface ConvolutionOps extends WindowOps, MatrixOps, ShapeOps, CopyOps permits GraphBuilder {

    /**
     * The convolution of sequences: {@code kernel[k, channels, kernels]} and {@code data[length, channels, n]} give
     * {@code [positions, kernels, n]} of f32.
     */
    default Tensor conv1d(Tensor kernel, Tensor data, Window window) {
        return whole(() -> {
            Tensor columns = im2col1d(kernel, data, window, columnType(kernel));
            Tensor product = mulMat(
                    reshape(columns, columns.dim(0), columns.dim(2) * columns.dim(1)),
                    reshape(kernel, kernel.dim(0) * kernel.dim(1), kernel.dim(2)));
            return reshape(product, columns.dim(1), kernel.dim(2), columns.dim(2));
        });
    }

    /** {@link #conv1d} padded by half the kernel. */
    default Tensor conv1dHalfPadded(Tensor kernel, Tensor data, int stride, int dilation) {
        return conv1d(kernel, data, new Window(stride, half(kernel, 0), dilation));
    }

    /**
     * The convolution of each channel with a kernel of its own: {@code kernel[k, 1, channels]} and
     * {@code data[length, channels]} give {@code [positions, channels]} of f32.
     */
    default Tensor conv1dDepthwise(Tensor kernel, Tensor data, Window window) {
        return whole(() -> {
            Tensor single = reshape(data, data.dim(0), 1, data.dim(1), data.dim(2));
            Tensor product = mulMat(im2col1d(kernel, single, window, columnType(kernel)), kernel);
            return reshape(product, product.dim(0), product.dim(2), 1);
        });
    }

    /** {@link #conv1dDepthwise} padded by half the kernel. */
    default Tensor conv1dDepthwiseHalfPadded(Tensor kernel, Tensor data, int stride, int dilation) {
        return conv1dDepthwise(kernel, data, new Window(stride, half(kernel, 0), dilation));
    }

    /**
     * The convolution of images: {@code kernel[kw, kh, channels, kernels]} and {@code data[w, h, channels, n]} give
     * {@code [positions in w, positions in h, kernels, n]} of f32.
     */
    default Tensor conv2d(Tensor kernel, Tensor data, Window width, Window height) {
        return whole(() -> {
            Tensor columns = im2col(kernel, data, width, height, columnType(kernel));
            Tensor product = mulMat(
                    reshape(columns, columns.dim(0), columns.dim(3) * columns.dim(2) * columns.dim(1)),
                    reshape(kernel, kernel.dim(0) * kernel.dim(1) * kernel.dim(2), kernel.dim(3)));
            Tensor images = reshape(product, columns.dim(1), columns.dim(2), columns.dim(3), kernel.dim(3));
            return cont(permute(images, 0, 1, 3, 2));
        });
    }

    /** {@link #conv2d} by steps as long as the kernel, without padding: the image in tiles. */
    default Tensor conv2dTiled(Tensor kernel, Tensor data) {
        return conv2d(kernel, data, tile(kernel, 0), tile(kernel, 1));
    }

    /** {@link #conv2d} step by step, padded by half the kernel. */
    default Tensor conv2dHalfPadded(Tensor kernel, Tensor data) {
        return conv2d(kernel, data, Window.of(1, half(kernel, 0)), Window.of(1, half(kernel, 1)));
    }

    /**
     * The convolution of each channel with a kernel of its own: {@code kernel[kw, kh, 1, channels]} and
     * {@code data[w, h, channels, n]} give {@code [positions in w, positions in h, channels, n]} of f32.
     */
    default Tensor conv2dDepthwise(Tensor kernel, Tensor data, Window width, Window height) {
        return whole(() -> {
            Tensor single = reshape(kernel, kernel.dim(0), kernel.dim(1), 1, kernel.dim(2) * kernel.dim(3));
            Tensor columns = im2col(
                    single,
                    reshape(data, data.dim(0), data.dim(1), 1, data.dim(2) * data.dim(3)),
                    width,
                    height,
                    columnType(kernel));
            Tensor perChannel =
                    reshape(columns, columns.dim(0), columns.dim(2) * columns.dim(1), data.dim(2), data.dim(3));
            Tensor rows = reshape(single, single.dim(0) * single.dim(1), single.dim(2), single.dim(3), 1);
            return reshape(mulMat(rows, perChannel), columns.dim(1), columns.dim(2), data.dim(2), data.dim(3));
        });
    }

    /**
     * The convolution of volumes: {@code kernel[kw, kh, kd, channels * kernels]} and
     * {@code data[w, h, d, channels * n]} give {@code [positions in w, in h, in d, kernels * n]} of f32.
     */
    default Tensor conv3d(Tensor kernel, Tensor data, long channels, Window width, Window height, Window depth) {
        return whole(() -> {
            Tensor columns = im2col3d(kernel, data, channels, width, height, depth, columnType(kernel));
            long kernels = kernel.dim(3) / channels;
            long volumes = data.dim(3) / channels;
            long layers = columns.dim(3) / Math.max(1, volumes);
            Tensor product = mulMat(
                    reshape(columns, columns.dim(0), columns.dim(3) * columns.dim(2) * columns.dim(1)),
                    reshape(kernel, kernel.dim(0) * kernel.dim(1) * kernel.dim(2) * channels, kernels));
            Tensor flat = reshape(product, columns.dim(1) * columns.dim(2), layers, volumes, kernels);
            Tensor ordered = cont(permute(flat, 0, 1, 3, 2));
            return reshape(ordered, columns.dim(1), columns.dim(2), layers, kernels * volumes);
        });
    }

    /** Creates all nodes or none: if a step is refused, those before it are removed from the builder. */
    private Tensor whole(Supplier<Tensor> steps) {
        return switch (this) {
            case GraphBuilder builder -> builder.allOrNone(steps);
        };
    }

    private static ElementType columnType(Tensor kernel) {
        return kernel.type() == ElementType.BF16 ? ElementType.F32 : ElementType.F16;
    }

    private static int half(Tensor kernel, int dimension) {
        return Math.clamp(kernel.dim(dimension) / 2, 0, Integer.MAX_VALUE);
    }

    private static Window tile(Tensor kernel, int dimension) {
        return Window.of(Math.clamp(kernel.dim(dimension), 1, Integer.MAX_VALUE), 0);
    }
}
