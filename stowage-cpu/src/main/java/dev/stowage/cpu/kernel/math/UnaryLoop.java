package dev.stowage.cpu.kernel.math;

import dev.stowage.cpu.kernel.Lanes;

/**
 * A function of one float, applied to a dense run of them. Runs are whole numbers of {@link #STEP} floats, so that a
 * loop has no scalar tail and every element is computed alike; the caller pads shorter runs.
 */
@FunctionalInterface
public interface UnaryLoop {

    /** What the length of a run is a multiple of. */
    int STEP = Lanes.F.length();

    /**
     * Computes {@code count} floats at {@code to} from those at {@code from}, which may be the same place.
     *
     * @param count a multiple of {@link #STEP}
     */
    void apply(long from, long to, long count);
}
