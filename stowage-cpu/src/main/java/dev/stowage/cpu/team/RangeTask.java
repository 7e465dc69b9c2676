package dev.stowage.cpu.team;

/**
 * Work on a number of similar items, such as the rows of a tensor, cut into ranges of neighbours. How many ranges there
 * are follows from what an item costs: too little work for a second thread stays in one piece, and a lot of it falls
 * into several per thread, so that a thread that is held up by something else does not hold up the rest.
 */
public abstract class RangeTask extends ParallelTask {

    /** Work that takes less than this is not worth waking another thread for. */
    private static final double NANOS_WORTH_SHARING = 1_000;

    private static final int PIECES_PER_THREAD = 4;

    private final long items;

    /**
     * @param items how many there are
     * @param nanosPerItem roughly what one costs
     * @param threads how many threads there are to share them
     */
    protected RangeTask(long items, double nanosPerItem, int threads) {
        super(pieces(items, nanosPerItem, threads));
        this.items = items;
    }

    private static int pieces(long items, double nanosPerItem, int threads) {
        double worth = items * nanosPerItem / NANOS_WORTH_SHARING;
        long most = threads == 1 ? 1 : (long) threads * PIECES_PER_THREAD;
        long wanted = worth < 2 ? 1 : worth < most ? threads : most;
        return (int) Math.max(1, Math.min(items, wanted));
    }

    @Override
    public final void run(int piece, int thread) {
        run(items * piece / pieces(), items * (piece + 1) / pieces(), thread);
    }

    /** Does the items from {@code from} on, and before {@code to}. */
    protected abstract void run(long from, long to, int thread);
}
