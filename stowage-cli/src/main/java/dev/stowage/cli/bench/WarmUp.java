package dev.stowage.cli.bench;

/**
 * Decides when a job has been repeated often enough to be measured. The compiler of the JVM makes a job faster for a
 * while; it is warm once several runs in a row were no faster than the best before them.
 */
final class WarmUp {
    private static final int STEADY_RUNS = 4;
    private static final int FEWEST_RUNS = 6;
    private static final double NOTABLY = 0.99;
    private static final long SHORTEST_NANOS = 1_500_000_000L;
    private static final long LONGEST_NANOS = 60_000_000_000L;

    private long best = Long.MAX_VALUE;
    private long spent;
    private int runs;
    private int withoutGain;

    /** Records how long a run took. */
    void ran(long nanos) {
        withoutGain = nanos < best * NOTABLY ? 0 : withoutGain + 1;
        best = Math.min(best, nanos);
        spent += nanos;
        runs++;
    }

    /** Whether runs no longer get faster, or have taken so long that further runs would not help. */
    boolean isOver() {
        boolean steady = runs >= FEWEST_RUNS && withoutGain >= STEADY_RUNS && spent >= SHORTEST_NANOS;
        return steady || spent >= LONGEST_NANOS;
    }

    int runs() {
        return runs;
    }
}
