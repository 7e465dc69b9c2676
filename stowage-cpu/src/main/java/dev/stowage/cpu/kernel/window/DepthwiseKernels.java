package dev.stowage.cpu.kernel.window;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.PanelKernels;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Convolutions of each channel with a kernel of its own. Taps in the padding are left out rather than
 * multiplied with zero, as ggml does.
 */
public final class DepthwiseKernels {

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    private static final long V = F.vectorByteSize();

    private DepthwiseKernels() {}

    /** One row of one channel. */
    public static void row(WindowGeometry g, long image, long y, long kernel, long to) {
        PanelKernels.zero(to, g.x().positions());
        long step = g.x().stride() * 4;
        for (long ky = 0; ky < g.y().size(); ky++) {
            long iy = g.y().under(y, ky);
            if (iy >= 0 && iy < g.y().input()) {
                long line = image + iy * g.y().bytes();
                for (long kx = 0; kx < g.x().size(); kx++) {
                    long first = g.x().firstInside(kx);
                    long count = g.x().endInside(kx) - first;
                    float weight = Memory.getFloat(kernel + (ky * g.x().size() + kx) * 4);
                    addTap(line + g.x().under(first, kx) * 4, step, weight, to + first * 4, count);
                }
            }
        }
    }

    private static void addTap(long from, long step, float weight, long to, long count) {
        long i = 0;
        if (step == 4) {
            FloatVector factor = FloatVector.broadcast(F, weight);
            for (; i + F.length() <= count; i += F.length()) {
                FloatVector sum = FloatVector.fromMemorySegment(F, ALL, to + i * 4, ORDER);
                factor.fma(FloatVector.fromMemorySegment(F, ALL, from + i * 4, ORDER), sum)
                        .intoMemorySegment(ALL, to + i * 4, ORDER);
            }
        }
        for (; i < count; i++) {
            long at = to + i * 4;
            Memory.setFloat(at, Math.fma(weight, Memory.getFloat(from + i * step), Memory.getFloat(at)));
        }
    }

    /** One row of all channels, which are adjacent in the image, the kernels and the result. */
    public static void channels(WindowGeometry g, long image, long y, long kernels, long to, long toStride) {
        for (long x = 0; x < g.x().positions(); x++) {
            long target = to + x * toStride;
            long bytes = g.channels() * 4;
            long c = 0;
            for (; c + V <= bytes; c += V) {
                FloatVector sum = FloatVector.zero(F);
                for (long ky = 0; ky < g.y().size(); ky++) {
                    long iy = g.y().under(y, ky);
                    if (iy >= 0 && iy < g.y().input()) {
                        for (long kx = 0; kx < g.x().size(); kx++) {
                            long ix = g.x().under(x, kx);
                            if (ix >= 0 && ix < g.x().input()) {
                                long weight = kernels + (ky * g.x().size() + kx) * bytes + c;
                                long at = image + iy * g.y().bytes() + ix * g.x().bytes() + c;
                                sum = FloatVector.fromMemorySegment(F, ALL, weight, ORDER)
                                        .fma(FloatVector.fromMemorySegment(F, ALL, at, ORDER), sum);
                            }
                        }
                    }
                }
                sum.intoMemorySegment(ALL, target + c, ORDER);
            }
            for (; c < bytes; c += 4) {
                Memory.setFloat(target + c, one(g, image + c, x, y, kernels + c, bytes));
            }
        }
    }

    private static float one(WindowGeometry g, long image, long x, long y, long kernel, long tapStride) {
        float sum = 0;
        for (long ky = 0; ky < g.y().size(); ky++) {
            long iy = g.y().under(y, ky);
            for (long kx = 0; kx < g.x().size(); kx++) {
                long ix = g.x().under(x, kx);
                if (iy >= 0 && iy < g.y().input() && ix >= 0 && ix < g.x().input()) {
                    float weight = Memory.getFloat(kernel + (ky * g.x().size() + kx) * tapStride);
                    sum += weight * Memory.getFloat(image + iy * g.y().bytes() + ix * g.x().bytes());
                }
            }
        }
        return sum;
    }
}
