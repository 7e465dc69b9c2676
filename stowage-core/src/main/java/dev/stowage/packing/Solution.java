package dev.stowage.packing;

import dev.stowage.error.InvalidPlanException;

/** An offset for every buffer of a problem; {@link SolutionCheck} validates it. */
public final class Solution {

    private final long[] offsets;
    private final long height;

    private Solution(long[] offsets, long height) {
        this.offsets = offsets;
        this.height = height;
    }

    /**
     * The solution with these offsets, by index of the buffer.
     *
     * @throws InvalidPlanException if there are not as many offsets as buffers
     */
    public static Solution of(Problem problem, long[] offsets) {
        if (offsets.length != problem.count()) {
            throw new InvalidPlanException("there are " + offsets.length + " offsets for " + problem.count()
                    + " buffers; every buffer needs one");
        }
        long height = 0;
        for (int buffer = 0; buffer < offsets.length; buffer++) {
            if (problem.size(buffer) > 0) {
                height = Math.max(height, offsets[buffer] + problem.size(buffer));
            }
        }
        return new Solution(offsets.clone(), height);
    }

    /** How many buffers have an offset. */
    public int count() {
        return offsets.length;
    }

    /** The offset of a buffer. */
    public long offset(int buffer) {
        return offsets[buffer];
    }

    /** All offsets, by index of the buffer. */
    public long[] offsets() {
        return offsets.clone();
    }

    /** The memory needed: the highest end of a non-empty buffer. */
    public long height() {
        return height;
    }

    @Override
    public String toString() {
        return "solution of height " + height + " for " + offsets.length + " buffers";
    }
}
