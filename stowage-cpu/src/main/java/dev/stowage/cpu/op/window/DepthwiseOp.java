package dev.stowage.cpu.op.window;

import dev.stowage.cpu.kernel.codec.RowEncoder;
import dev.stowage.cpu.kernel.window.DepthwiseKernels;
import dev.stowage.cpu.kernel.window.WindowGeometry;
import dev.stowage.cpu.op.matrix.Transposition;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.op.operand.RowTarget;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;

/**
 * CONV_2D_DW: each channel with a kernel of its own. Where rows are dense the vectors run along them; where channels
 * are contiguous, as f32, along the channels. Other types with channels together stay with the reference.
 */
final class DepthwiseOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand result = node.result();
        Operand data = node.operand(1);
        if (!FloatSource.takesAll(node, 0, 2)) {
            return false;
        }
        OpParameters.Conv2d p = node.parameters(OpParameters.Conv2d.class);
        if (result.isContiguous() && RowTarget.takesElementsOf(result.type)) {
            FloatSource kernel = FloatSource.contiguous(node, 0);
            FloatSource source = FloatSource.of(node, 1);
            WindowGeometry g =
                    WindowGeometries.overImages(p.width(), p.height(), node.operand(0), source, result.d0, result.d1);
            node.add(new AlongRows(node, g, kernel, source));
            return true;
        }
        boolean together = data.s2 == Float.BYTES && result.s2 == Float.BYTES;
        if (data.type == ElementType.F32 && result.type == ElementType.F32 && together) {
            FloatSource kernel = FloatSource.contiguous(node, 0);
            Scratch weights = node.scratch(node.operand(0).elements() * Float.BYTES);
            node.add(Transposition.ofRows(kernel, data.d2, weights, node.threads()));
            node.add(new AlongChannels(node, p, weights));
            return true;
        }
        return false;
    }

    /** One item is a row of the result. */
    private static final class AlongRows extends RangeTask {

        private final WindowGeometry sliding;
        private final FloatSource kernel;
        private final FloatSource data;
        private final Operand result;
        private final RowEncoder encoder;
        private final Scratch sums;

        AlongRows(NodeBuilder node, WindowGeometry sliding, FloatSource kernel, FloatSource data) {
            super(
                    node.result().rows(),
                    node.result().d0 * sliding.x().size() * sliding.y().size() * 0.2,
                    node.threads());
            this.sliding = sliding;
            this.kernel = kernel;
            this.data = data;
            this.result = node.result();
            this.encoder = RowEncoder.of(result.type);
            this.sums = node.scratchPerThread(result.d0 * Float.BYTES);
        }

        @Override
        protected void run(long from, long to, int thread) {
            long row = sums.address(thread);
            for (long item = from; item < to; item++) {
                long y = item % result.d1;
                long channel = item / result.d1 % result.d2;
                long image = item / (result.d1 * result.d2);
                DepthwiseKernels.row(sliding, data.at(0, channel, image), y, kernel.at(0, 0, channel), row);
                encoder.encode(row, result.row(item), result.d0);
            }
        }
    }

    /** One item is a row of the result, with all its channels. */
    private static final class AlongChannels extends RangeTask {

        private final WindowGeometry sliding;
        private final Scratch weights;
        private final Operand data;
        private final Operand result;

        AlongChannels(NodeBuilder node, OpParameters.Conv2d p, Scratch weights) {
            super(
                    node.result().d1 * node.result().d3,
                    node.result().d0 * node.result().d2 * node.operand(0).d0 * node.operand(0).d1 * 0.1,
                    node.threads());
            this.data = node.operand(1);
            this.result = node.result();
            this.weights = weights;
            this.sliding = WindowGeometries.overChannels(p, node.operand(0), data, result);
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long item = from; item < to; item++) {
                long y = item % result.d1;
                long image = item / result.d1;
                DepthwiseKernels.channels(
                        sliding, data.at(0, 0, image), y, weights.address(), result.at(y, 0, image), result.s0);
            }
        }
    }
}
