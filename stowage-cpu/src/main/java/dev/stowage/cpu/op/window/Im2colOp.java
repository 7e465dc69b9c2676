package dev.stowage.cpu.op.window;

import dev.stowage.cpu.kernel.window.Im2colKernels;
import dev.stowage.cpu.kernel.window.WindowGeometry;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;

/**
 * IM2COL and IM2COL_3D: the elements under a kernel at each place, as rows. Takes data of f32, f16, bf16 and quantised
 * types; results of other types than f32 and f16 stay with the reference.
 */
final class Im2colOp implements OpKernel {

    private static final double NANOS_PER_ELEMENT = 0.7;

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand result = node.result();
        boolean writable = result.type == ElementType.F32 || result.type == ElementType.F16;
        if (!FloatSource.takes(node.operand(1)) || !result.isContiguous() || !writable) {
            return false;
        }
        FloatSource data = FloatSource.of(node, 1);
        node.add(new LayOut(node, slide(node, data), data));
        return true;
    }

    private static WindowGeometry slide(NodeBuilder node, FloatSource data) {
        Operand kernel = node.operand(0);
        Operand result = node.result();
        return switch (node.step().parameters()) {
            case OpParameters.Im2col p
            when p.twoDimensional() ->
                WindowGeometries.overImages(p.width(), p.height(), kernel, data, result.d1, result.d2);
            case OpParameters.Im2col p -> WindowGeometries.overSequences(p, kernel, data, result);
            default -> {
                OpParameters.Im2col3d p = node.parameters(OpParameters.Im2col3d.class);
                long layers = result.d3 / (data.d3 / p.channels());
                yield WindowGeometries.overVolumes(p, kernel, data, result.d1, result.d2, layers);
            }
        };
    }

    /** One item is a line of positions of one image. */
    private static final class LayOut extends RangeTask {

        private final WindowGeometry sliding;
        private final FloatSource data;
        private final long result;
        private final boolean floats;

        LayOut(NodeBuilder node, WindowGeometry sliding, FloatSource data) {
            super(
                    node.result().rows() / sliding.x().positions(),
                    sliding.x().positions() * sliding.taps() * NANOS_PER_ELEMENT,
                    node.threads());
            this.sliding = sliding;
            this.data = data;
            this.result = node.result().address;
            this.floats = node.result().type == ElementType.F32;
        }

        @Override
        protected void run(long from, long to, int thread) {
            long perLine = sliding.x().positions() * sliding.taps();
            for (long line = from; line < to; line++) {
                long y = line % sliding.y().positions();
                long z = line / sliding.y().positions() % sliding.z().positions();
                long image = line / (sliding.y().positions() * sliding.z().positions());
                long source = data.address() + image * sliding.imageStride();
                if (floats) {
                    Im2colKernels.rows(sliding, source, y, z, result + line * perLine * Float.BYTES);
                } else {
                    Im2colKernels.halfRows(sliding, source, y, z, result + line * perLine * Short.BYTES);
                }
            }
        }
    }
}
