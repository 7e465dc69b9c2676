package dev.stowage.cpu.op.window;

import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.window.ScatterAddKernels;
import dev.stowage.cpu.op.matrix.PanelProduct;
import dev.stowage.cpu.op.matrix.Transposition;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;

/**
 * CONV_TRANSPOSE_1D and CONV_TRANSPOSE_2D: each element of the data is multiplied with the kernel, as a product of
 * matrices, and the stretched copies are added up where they fall. Both happen for a strip of the data at a time, so
 * that what is multiplied but not yet added up stays small.
 */
final class TransposedConvolutionOp implements OpKernel {

    /** The most floats that wait to be added up. */
    private static final long STRIP = 1 << 21;

    private final boolean images;

    private TransposedConvolutionOp(boolean images) {
        this.images = images;
    }

    static TransposedConvolutionOp ofSequences() {
        return new TransposedConvolutionOp(false);
    }

    static TransposedConvolutionOp ofImages() {
        return new TransposedConvolutionOp(true);
    }

    /** Sizes by what they are, whatever the dimension they are found in. */
    private record Shape(
            long kernelWidth, long kernelHeight, long out, long in, long width, long height, long images, int stride) {

        long rows() {
            return kernelWidth * kernelHeight * out;
        }

        long places() {
            return width * height;
        }
    }

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand result = node.result();
        if (!FloatSource.takesAll(node, 0, 2) || !result.isContiguous() || result.type != ElementType.F32) {
            return false;
        }
        FloatSource kernel = FloatSource.contiguous(node, 0);
        FloatSource data = FloatSource.contiguous(node, 1);
        int stride = node.parameters(OpParameters.ConvTranspose.class).stride();
        Shape shape = images
                ? new Shape(kernel.d0, kernel.d1, kernel.d2, kernel.d3, data.d0, data.d1, data.d3, stride)
                : new Shape(kernel.d0, 1, kernel.d1, kernel.d2, data.d0, 1, 1, stride);
        Scratch weights = node.scratch(shape.rows() * shape.in() * Float.BYTES);
        node.add(Transposition.ofRows(kernel, shape.in(), weights, node.threads()));
        addStrips(node, shape, data, weights);
        return true;
    }

    private static void addStrips(NodeBuilder node, Shape shape, FloatSource data, Scratch weights) {
        long wanted = Math.max(1, STRIP / (shape.rows() * PanelProduct.WIDTH)) * PanelProduct.WIDTH;
        long strip = Math.min(wanted, shape.places());
        Scratch products = node.scratch(shape.rows() * strip * Float.BYTES);
        for (long image = 0; image < shape.images(); image++) {
            for (long place = 0; place < shape.places(); place += strip) {
                long places = Math.min(strip, shape.places() - place);
                node.add(new Multiply(node, shape, data, weights, products, image, place, places));
                node.add(new Add(node, shape, products, image, place, places));
            }
        }
    }

    /** A row for each element of each kernel, a column for each place of the strip. */
    private static final class Multiply extends PanelProduct {

        private final Shape shape;
        private final FloatSource data;
        private final Scratch weights;
        private final Scratch products;
        private final long image;
        private final long firstPlace;
        private final long places;

        Multiply(
                NodeBuilder node,
                Shape shape,
                FloatSource data,
                Scratch weights,
                Scratch products,
                long image,
                long firstPlace,
                long places) {
            super(node, Size.of(1, shape.rows(), places, shape.in(), node.threads()));
            this.shape = shape;
            this.data = data;
            this.weights = weights;
            this.products = products;
            this.image = image;
            this.firstPlace = firstPlace;
            this.places = places;
        }

        @Override
        protected long rows(long batch) {
            return weights.address();
        }

        @Override
        protected void pack(long batch, long column, int columns, long step, int steps, long panel) {
            long stride = shape.places() * Float.BYTES;
            long from = data.address() + (image * shape.in() + step) * stride + (firstPlace + column) * Float.BYTES;
            PanelKernels.pack(from, stride, columns, steps, panel, WIDTH);
        }

        @Override
        protected void store(long batch, long row, long column, int columns, long sums, int thread) {
            PanelKernels.copy(sums, products.address() + (row * places + column) * Float.BYTES, columns);
        }
    }

    /** One item is a channel of the result; the first strip finds it as it was left, and clears it. */
    private static final class Add extends RangeTask {

        private final Shape shape;
        private final Scratch products;
        private final Operand result;
        private final long image;
        private final long firstPlace;
        private final long places;

        Add(NodeBuilder node, Shape shape, Scratch products, long image, long firstPlace, long places) {
            super(shape.out(), (double) shape.kernelWidth() * shape.kernelHeight() * places, node.threads());
            this.shape = shape;
            this.products = products;
            this.result = node.result();
            this.image = image;
            this.firstPlace = firstPlace;
            this.places = places;
        }

        @Override
        protected void run(long from, long to, int thread) {
            long width = result.d0;
            long plane = result.elements() / (shape.out() * shape.images());
            for (long out = from; out < to; out++) {
                long target = result.address + (image * shape.out() + out) * plane * Float.BYTES;
                if (firstPlace == 0) {
                    PanelKernels.zero(target, plane);
                }
                for (long ky = 0; ky < shape.kernelHeight(); ky++) {
                    for (long kx = 0; kx < shape.kernelWidth(); kx++) {
                        long row = (out * shape.kernelHeight() + ky) * shape.kernelWidth() + kx;
                        ScatterAddKernels.add(
                                products.address() + row * places * Float.BYTES,
                                firstPlace,
                                places,
                                shape.width(),
                                target + (ky * width + kx) * Float.BYTES,
                                width,
                                shape.stride());
                    }
                }
            }
        }
    }
}
