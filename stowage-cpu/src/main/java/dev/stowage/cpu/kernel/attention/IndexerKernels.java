package dev.stowage.cpu.kernel.attention;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.GT;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** Sums over heads of how well a key matches a query, for the choice of keys. A lane is a head. */
public final class IndexerKernels {

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    private static final long V = F.vectorByteSize();

    private IndexerKernels() {}

    /**
     * Adds the matches of each key, where they are above zero, times the weights of heads.
     *
     * @param s the matches: for each key {@code vectors} vectors
     * @param weights a weight for each lane of them
     * @param sums for each key one vector
     */
    public static void addMatches(long s, int vectors, int keys, long weights, long sums) {
        FloatVector zero = FloatVector.zero(F);
        for (int vector = 0; vector < vectors; vector++) {
            FloatVector w = FloatVector.fromMemorySegment(F, ALL, weights + vector * V, ORDER);
            for (int key = 0; key < keys; key++) {
                FloatVector x = FloatVector.fromMemorySegment(F, ALL, s + ((long) key * vectors + vector) * V, ORDER);
                // A match that is NaN counts as none.
                zero.blend(x, x.compare(GT, zero))
                        .fma(w, FloatVector.fromMemorySegment(F, ALL, sums + key * V, ORDER))
                        .intoMemorySegment(ALL, sums + key * V, ORDER);
            }
        }
    }

    /** Adds up the lanes of the sums of each key; the keys fill whole vectors. */
    public static void fold(long sums, int keys, long to) {
        AttentionRowKernels.fold(sums, keys, to);
    }
}
