package dev.stowage.cpu.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Sums the lanes of a vector in a fixed order. {@code reduceLanes} may use another order in compiled code than in
 * interpreted code, so that results would differ in the last bits once a kernel is compiled.
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
