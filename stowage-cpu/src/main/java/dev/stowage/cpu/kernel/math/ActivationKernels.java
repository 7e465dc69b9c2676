package dev.stowage.cpu.kernel.math;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.FLOATS;
import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Memory.ADDRESS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import jdk.incubator.vector.FloatVector;

/** The smooth activations; loops for {@link UnaryLoop}. */
public final class ActivationKernels {

    private ActivationKernels() {}

    /** {@code 1 / (1 + exp(-x))}. */
    public static void sigmoid(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (from + at) & ADDRESS, ORDER);
            FloatVector e = VectorExponentials.exp(x.neg());
            ((FloatVector) FLOATS.cast(FloatVector.broadcast(F, 1f)))
                    .div(e.add(1f))
                    .intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code x * sigmoid(x)}. */
    public static void silu(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (from + at) & ADDRESS, ORDER);
            VectorActivations.silu(x).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code x} times the normal distribution function, by its tanh approximation. */
    public static void gelu(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (from + at) & ADDRESS, ORDER);
            VectorActivations.gelu(x).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code x * sigmoid(1.702 * x)}. */
    public static void geluQuick(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (from + at) & ADDRESS, ORDER);
            VectorActivations.geluQuick(x).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code x} times the normal distribution function, by the error function. */
    public static void geluErf(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (from + at) & ADDRESS, ORDER);
            VectorActivations.geluErf(x).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }
}
