package dev.stowage.cpu.op.window;

import dev.stowage.cpu.kernel.window.ResamplingKernels;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;

/**
 * UPSCALE in all its modes: width and height are interpolated one after the other, lines first; along the other
 * dimensions the element before the point is taken.
 */
final class UpscaleOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand result = node.result();
        if (!FloatSource.takes(node.operand(0)) || !result.hasDenseRows() || result.type != ElementType.F32) {
            return false;
        }
        OpParameters.Interpolate p = node.parameters(OpParameters.Interpolate.class);
        FloatSource a = FloatSource.of(node, 0);
        Resampling width = of(p, Resampling.Axis.of(a.d0, result.d0, p.alignCorners()));
        Resampling height = of(p, Resampling.Axis.of(a.d1, result.d1, p.alignCorners()));
        node.add(new Resample(node, a, width, height));
        return true;
    }

    private static Resampling of(OpParameters.Interpolate p, Resampling.Axis axis) {
        return switch (p.mode()) {
            case NEAREST -> Resampling.nearest(axis);
            case BILINEAR -> p.antialias() ? Resampling.smooth(axis) : Resampling.linear(axis);
            case BICUBIC -> Resampling.cubic(axis);
        };
    }

    /** One item is a row of the result. */
    private static final class Resample extends RangeTask {

        private final FloatSource a;
        private final Operand result;
        private final Resampling width;
        private final Resampling height;
        private final Resampling.Axis third;
        private final Resampling.Axis fourth;
        private final Scratch line;

        Resample(NodeBuilder node, FloatSource a, Resampling width, Resampling height) {
            super(
                    node.result().rows(),
                    node.result().d0 * width.taps() * 0.6 + a.d0 * height.taps() * 0.1,
                    node.threads());
            this.a = a;
            this.result = node.result();
            this.width = width;
            this.height = height;
            this.third = Resampling.Axis.of(a.d2, result.d2, false);
            this.fourth = Resampling.Axis.of(a.d3, result.d3, false);
            this.line = node.scratchPerThread(a.d0 * Float.BYTES);
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long item = from; item < to; item++) {
                int y = (int) (item % result.d1);
                long plane = item / result.d1;
                long image = a.at(0, third.before(plane % result.d2), fourth.before(plane / result.d2));
                long source = image + height.elements()[y * height.taps()] * a.s1;
                if (height.taps() > 1) {
                    source = line.address(thread);
                    ResamplingKernels.blendLines(
                            image,
                            a.s1,
                            a.d0,
                            height.elements(),
                            height.weights(),
                            y * height.taps(),
                            height.counts()[y],
                            source);
                }
                long target = result.row(item);
                if (width.taps() > 1) {
                    ResamplingKernels.blend(
                            source, width.elements(), width.weights(), width.taps(), width.counts(), target, result.d0);
                } else {
                    ResamplingKernels.pick(source, width.elements(), target, result.d0);
                }
            }
        }
    }
}
