package dev.stowage.cpu.kernel.copy;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.FloatVector;

/** Adds floats to others in their place, touching nothing beside them. */
public final class AccumulateKernels {

    private AccumulateKernels() {}

    /** Adds {@code count} floats at {@code from} to those at {@code to}. */
    public static void addTo(long from, long to, long count) {
        long whole = count - count % F.length();
        for (long i = 0; i < whole; i += F.length()) {
            FloatVector sum = FloatVector.fromMemorySegment(F, ALL, to + i * 4, ORDER)
                    .add(FloatVector.fromMemorySegment(F, ALL, from + i * 4, ORDER));
            sum.intoMemorySegment(ALL, to + i * 4, ORDER);
        }
        for (long i = whole; i < count; i++) {
            Memory.setFloat(to + i * 4, Memory.getFloat(to + i * 4) + Memory.getFloat(from + i * 4));
        }
    }
}
