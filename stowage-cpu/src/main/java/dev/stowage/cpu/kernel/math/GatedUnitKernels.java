package dev.stowage.cpu.kernel.math;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.FLOATS;
import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Memory.ADDRESS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LE;

import jdk.incubator.vector.FloatVector;

/**
 * Gated linear units: an activation of the gate times a second number; loops for {@link BinaryLoop}. Where the
 * activation is cut off to zero so is the product, even if the other factor is NaN or infinite.
 */
public final class GatedUnitKernels {

    private GatedUnitKernels() {}

    /** {@code relu(gate) * up}. */
    public static void reglu(long gate, long up, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector g = FloatVector.fromMemorySegment(F, ALL, (gate + at) & ADDRESS, ORDER);
            FloatVector u = FloatVector.fromMemorySegment(F, ALL, (up + at) & ADDRESS, ORDER);
            ((FloatVector) FLOATS.cast(FloatVector.zero(F)))
                    .blend(g.mul(u), g.compare(GT, 0f))
                    .intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code gelu(gate) * up}, by the tanh form. */
    public static void geglu(long gate, long up, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector g = FloatVector.fromMemorySegment(F, ALL, (gate + at) & ADDRESS, ORDER);
            FloatVector u = FloatVector.fromMemorySegment(F, ALL, (up + at) & ADDRESS, ORDER);
            VectorActivations.gelu(g)
                    .mul(u)
                    .blend(0f, g.compare(LE, -VectorActivations.GELU_EDGE))
                    .intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code silu(gate) * up}. */
    public static void swiglu(long gate, long up, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector g = FloatVector.fromMemorySegment(F, ALL, (gate + at) & ADDRESS, ORDER);
            FloatVector u = FloatVector.fromMemorySegment(F, ALL, (up + at) & ADDRESS, ORDER);
            VectorActivations.silu(g).mul(u).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code gelu(gate) * up}, by the error function. */
    public static void gegluErf(long gate, long up, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector g = FloatVector.fromMemorySegment(F, ALL, (gate + at) & ADDRESS, ORDER);
            FloatVector u = FloatVector.fromMemorySegment(F, ALL, (up + at) & ADDRESS, ORDER);
            VectorActivations.geluErf(g).mul(u).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code gate * sigmoid(1.702 * gate) * up}. */
    public static void gegluQuick(long gate, long up, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector g = FloatVector.fromMemorySegment(F, ALL, (gate + at) & ADDRESS, ORDER);
            FloatVector u = FloatVector.fromMemorySegment(F, ALL, (up + at) & ADDRESS, ORDER);
            VectorActivations.geluQuick(g).mul(u).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /**
     * {@code g * sigmoid(alpha * g) * (1 + u)} with {@code g} at most {@code limit} and {@code u} within it on both
     * sides.
     */
    public static void swigluOai(long gate, long up, long to, long count, float alpha, float limit) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector g = FloatVector.fromMemorySegment(F, ALL, (gate + at) & ADDRESS, ORDER);
            FloatVector u = FloatVector.fromMemorySegment(F, ALL, (up + at) & ADDRESS, ORDER);
            FloatVector limited = g.min(limit);
            FloatVector kept = u.max(-limit).min(limit);
            FloatVector active =
                    limited.div(VectorExponentials.exp(limited.mul(-alpha)).add(1f));
            kept.add(1f).mul(active).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }
}
