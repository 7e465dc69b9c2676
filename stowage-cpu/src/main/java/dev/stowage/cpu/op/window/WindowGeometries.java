package dev.stowage.cpu.op.window;

import dev.stowage.cpu.kernel.window.WindowGeometry;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.program.Operand;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Window;

/** How the kernels of the ops with windows slide over their data, which is counted differently by each. */
final class WindowGeometries {

    private WindowGeometries() {}

    /** Over sequences {@code [length, channels, n]}. */
    static WindowGeometry overSequences(OpParameters.Im2col p, Operand kernel, FloatSource data, Operand result) {
        return new WindowGeometry(
                axis(kernel.d0, data.d0, result.d1, p.width(), Float.BYTES),
                WindowGeometry.Axis.NONE,
                WindowGeometry.Axis.NONE,
                kernel.d1,
                data.s1,
                data.s2);
    }

    /** Over images {@code [w, h, channels, n]} that give so many positions. */
    static WindowGeometry overImages(
            Window width, Window height, Operand kernel, FloatSource data, long columns, long rows) {
        return new WindowGeometry(
                axis(kernel.d0, data.d0, columns, width, Float.BYTES),
                axis(kernel.d1, data.d1, rows, height, data.s1),
                WindowGeometry.Axis.NONE,
                kernel.d2,
                data.s2,
                data.s3);
    }

    /** Over images whose channels are contiguous. */
    static WindowGeometry overChannels(OpParameters.Conv2d p, Operand kernel, Operand data, Operand result) {
        return new WindowGeometry(
                axis(kernel.d0, data.d0, result.d0, p.width(), data.s0),
                axis(kernel.d1, data.d1, result.d1, p.height(), data.s1),
                WindowGeometry.Axis.NONE,
                data.d2,
                data.s2,
                data.s3);
    }

    /** Over volumes {@code [w, h, d, channels * n]} that give so many positions. */
    static WindowGeometry overVolumes(
            OpParameters.Im2col3d p, Operand kernel, FloatSource data, long columns, long rows, long layers) {
        return new WindowGeometry(
                axis(kernel.d0, data.d0, columns, p.width(), Float.BYTES),
                axis(kernel.d1, data.d1, rows, p.height(), data.s1),
                axis(kernel.d2, data.d2, layers, p.depth(), data.s2),
                p.channels(),
                data.s3,
                data.s3 * p.channels());
    }

    private static WindowGeometry.Axis axis(long size, long input, long positions, Window window, long bytes) {
        return new WindowGeometry.Axis(
                size, input, positions, window.stride(), window.padding(), window.dilation(), bytes);
    }
}
