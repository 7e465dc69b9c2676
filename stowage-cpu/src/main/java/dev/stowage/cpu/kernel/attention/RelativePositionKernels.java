package dev.stowage.cpu.kernel.attention;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** Scores of attention with what the place of the key adds to them. */
public final class RelativePositionKernels {

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    private RelativePositionKernels() {}

    /** {@code result[x + n * y] = a + horizontal[x] + vertical[y]}; the result may be at the address of {@code a}. */
    public static void add(long a, long horizontal, long vertical, long n, long result) {
        for (long y = 0; y < n; y++) {
            float down = Memory.getFloat(vertical + y * 4);
            long line = y * n * 4;
            long x = 0;
            for (; x + F.length() <= n; x += F.length()) {
                FloatVector across = FloatVector.fromMemorySegment(F, ALL, horizontal + x * 4, ORDER);
                FloatVector.fromMemorySegment(F, ALL, a + line + x * 4, ORDER)
                        .add(across.add(down))
                        .intoMemorySegment(ALL, result + line + x * 4, ORDER);
            }
            for (; x < n; x++) {
                float across = Memory.getFloat(horizontal + x * 4);
                Memory.setFloat(result + line + x * 4, Memory.getFloat(a + line + x * 4) + (across + down));
            }
        }
    }
}
