package dev.stowage.cpu.op.window;

import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.codec.RowEncoder;
import dev.stowage.cpu.kernel.window.Im2colKernels;
import dev.stowage.cpu.kernel.window.WindowGeometry;
import dev.stowage.cpu.op.matrix.PanelProduct;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.op.operand.RowTarget;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;

/**
 * CONV_2D and CONV_3D as a product of the kernels with the elements under them, which is laid out a panel at a time. Takes
 * kernels and data of f32, f16, bf16 and quantised types; results of quantised types stay with the reference.
 */
final class ConvolutionOp implements OpKernel {

    private final boolean volumes;

    private ConvolutionOp(boolean volumes) {
        this.volumes = volumes;
    }

    static ConvolutionOp ofImages() {
        return new ConvolutionOp(false);
    }

    static ConvolutionOp ofVolumes() {
        return new ConvolutionOp(true);
    }

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand result = node.result();
        if (!FloatSource.takesAll(node, 0, 2) || !result.isContiguous() || !RowTarget.takesElementsOf(result.type)) {
            return false;
        }
        FloatSource kernel = FloatSource.contiguous(node, 0);
        FloatSource data = FloatSource.of(node, 1);
        if (volumes) {
            OpParameters.Conv3d p = node.parameters(OpParameters.Conv3d.class);
            OpParameters.Im2col3d windows = new OpParameters.Im2col3d(p.width(), p.height(), p.depth(), p.channels());
            WindowGeometry g =
                    WindowGeometries.overVolumes(windows, node.operand(0), data, result.d0, result.d1, result.d2);
            node.add(new Convolve(node, g, kernel, data, p.images(), p.kernels()));
        } else {
            OpParameters.Conv2d p = node.parameters(OpParameters.Conv2d.class);
            WindowGeometry g =
                    WindowGeometries.overImages(p.width(), p.height(), node.operand(0), data, result.d0, result.d1);
            node.add(new Convolve(node, g, kernel, data, result.d3, result.d2));
        }
        return true;
    }

    /** The product itself: a row for each kernel, a column for each place. */
    private static final class Convolve extends PanelProduct {

        private final WindowGeometry sliding;
        private final FloatSource kernel;
        private final FloatSource data;
        private final long result;
        private final long kernels;
        private final long bytes;
        private final boolean floats;
        private final RowEncoder encoder;

        Convolve(
                NodeBuilder node,
                WindowGeometry sliding,
                FloatSource kernel,
                FloatSource data,
                long images,
                long kernels) {
            super(node, Size.of(images, kernels, sliding.places(), sliding.taps(), node.threads()));
            this.sliding = sliding;
            this.kernel = kernel;
            this.data = data;
            this.result = node.result().address;
            this.kernels = kernels;
            this.bytes = node.result().type.bytesPerBlock();
            this.floats = node.result().type == ElementType.F32;
            this.encoder = RowEncoder.of(node.result().type);
        }

        @Override
        protected long rows(long batch) {
            return kernel.address();
        }

        @Override
        protected void pack(long batch, long column, int columns, long step, int steps, long panel) {
            long image = data.address() + batch * sliding.imageStride();
            Im2colKernels.pack(sliding, image, column, columns, step, steps, panel, WIDTH);
        }

        @Override
        protected void store(long batch, long row, long column, int columns, long sums, int thread) {
            long to = result + ((batch * kernels + row) * sliding.places() + column) * bytes;
            if (floats) {
                PanelKernels.copy(sums, to, columns);
            } else {
                encoder.encode(sums, to, columns);
            }
        }
    }
}
