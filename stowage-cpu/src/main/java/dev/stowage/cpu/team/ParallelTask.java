package dev.stowage.cpu.team;

/**
 * Work that falls into pieces which may be done in any order, by any thread, at the same time. What a piece computes must
 * not depend on which thread does it, so that results are the same for any number of threads.
 */
public abstract class ParallelTask {

    /** Nothing to do. */
    public static final ParallelTask NONE = new ParallelTask(1) {
        @Override
        public void run(int piece, int thread) {}
    };

    private final int pieces;

    /** Work in that many pieces, at least one. */
    protected ParallelTask(int pieces) {
        this.pieces = pieces;
    }

    /** How many pieces there are. */
    public final int pieces() {
        return pieces;
    }

    /**
     * Does one piece.
     *
     * @param piece its number, from 0
     * @param thread the number of the thread within its team, from 0: for memory that each thread has of its own
     */
    public abstract void run(int piece, int thread);
}
