package dev.stowage.cpu.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Adds up the lanes of a vector in one and the same order always. {@code reduceLanes} may take another order once the
 * compiler has taken a kernel over, so that a program would give other last bits early in a process than later.
 */
public final class LaneSums {

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;
    private static final int LANES = F.length();
    private static final Class<? extends Vector<Float>> TYPE = F.vectorType();

    private static final VectorShuffle<Float> BY_EIGHT = swap(8);
    private static final VectorShuffle<Float> BY_FOUR = swap(4);
    private static final VectorShuffle<Float> BY_TWO = swap(2);
    private static final VectorShuffle<Float> BY_ONE = swap(1);

    private LaneSums() {}

    private static VectorShuffle<Float> swap(int distance) {
        return VectorShuffle.fromOp(F, lane -> (lane ^ distance) % LANES);
    }

    /** The sum of all lanes of a vector of the preferred shape. */
    public static float of(FloatVector vector) {
        FloatVector sum = (FloatVector) TYPE.cast(vector);
        if (LANES > 8) {
            sum = sum.add(sum.rearrange(BY_EIGHT));
        }
        if (LANES > 4) {
            sum = sum.add(sum.rearrange(BY_FOUR));
        }
        if (LANES > 2) {
            sum = sum.add(sum.rearrange(BY_TWO));
        }
        return sum.add(sum.rearrange(BY_ONE)).lane(0);
    }
}
