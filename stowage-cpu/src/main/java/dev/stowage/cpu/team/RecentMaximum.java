package dev.stowage.cpu.team;

/**
 * The most callers that were running at once in the last milliseconds. Callers are between two graphs for moments, in
 * which their processors are not free for other threads; this number does not see such moments.
 */
final class RecentMaximum {

    /** Long against the moments between two tokens, short against what a user notices. */
    private static final long INTERVAL_NANOS = 5_000_000;

    private volatile int current;
    private int before;
    private long since = System.nanoTime();

    /** Notes how many are running now; a number that is lost in a race is noted with the next graph. */
    void note(int callers) {
        if (callers > current) {
            current = callers;
        }
    }

    /** The most in this interval and the one before; called by one thread at a time. */
    int recent(int callers) {
        long now = System.nanoTime();
        if (now - since > INTERVAL_NANOS) {
            before = current;
            current = callers;
            since = now;
        }
        return Math.max(before, Math.max(current, callers));
    }
}
