package dev.stowage.packing;

/**
 * The lowest height of a tiny problem, by trying every order in which buffers can be stacked. Pushing the buffers
 * of a solution down, from the lowest to the highest, keeps their order and never raises any, so the best order gives the
 * best height.
 */
public final class BruteForce {

    private final Problem problem;
    private final long[] offsets;
    private final boolean[] placed;
    private long best = Long.MAX_VALUE;

    private BruteForce(Problem problem) {
        this.problem = problem;
        this.offsets = new long[problem.count()];
        this.placed = new boolean[problem.count()];
    }

    public static long lowestHeight(Problem problem) {
        BruteForce force = new BruteForce(problem);
        for (int buffer = 0; buffer < problem.count(); buffer++) {
            force.placed[buffer] = problem.size(buffer) == 0;
        }
        force.place(0);
        return force.best;
    }

    private void place(long height) {
        if (height >= best) {
            return;
        }
        boolean complete = true;
        for (int buffer = 0; buffer < offsets.length; buffer++) {
            if (!placed[buffer]) {
                complete = false;
                long offset = problem.fixedOffset(buffer).orElse(rest(buffer));
                if (offset >= rest(buffer)) {
                    placed[buffer] = true;
                    offsets[buffer] = offset;
                    place(Math.max(height, offset + problem.size(buffer)));
                    placed[buffer] = false;
                }
            }
        }
        best = complete ? height : best;
    }

    /** The lowest aligned offset above everything placed that lives with the buffer. */
    private long rest(int buffer) {
        long top = 0;
        for (int other = 0; other < offsets.length; other++) {
            boolean together = problem.from(other) < problem.to(buffer) && problem.from(buffer) < problem.to(other);
            if (placed[other] && together && problem.size(other) > 0) {
                top = Math.max(top, offsets[other] + problem.size(other));
            }
        }
        long alignment = problem.alignment(buffer);
        return (top + alignment - 1) / alignment * alignment;
    }
}
