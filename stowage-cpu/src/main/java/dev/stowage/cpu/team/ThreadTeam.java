package dev.stowage.cpu.team;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The threads that one backend works with: the one that calls, and as many {@link Workers} as join it. Submitting a task
 * is one write that the workers spin on, because a graph has a thousand tasks that are often shorter than waking a thread
 * takes. Nothing depends on a worker: pieces are claimed one by one, and what no worker claims the caller does.
 *
 * <pre>
 *   caller   task = t; claims = (number, pieces - 1)   piece 0, then claimed ones ...   until others are done
 *   worker   until pieces are left  ──►  claims--      claimed piece           ...      done[slot]++
 * </pre>
 *
 * The caller waits only for pieces that were claimed. The number of the task in {@code claims} makes a claim fail that
 * was begun when an earlier task was under way. A worker that takes part holds a slot, whose number is that of the
 * thread in {@link ParallelTask#run}; it is free again only when the worker has left by itself.
 *
 * <p>One thread at a time calls {@link #begin()}, {@link #run} and {@link #end()}.
 */
public final class ThreadTeam implements AutoCloseable {

    /** Longs between counters that different threads write: two cache lines, as processors fetch them in pairs. */
    private static final int APART = 16;

    /** The low bits of {@code claims}: how many pieces are not claimed yet. */
    private static final int PIECE_BITS = 24;

    private static final long PIECES = (1L << PIECE_BITS) - 1;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    private static final int CLAIMS = APART;
    private static final int HELPERS = 2 * APART;
    private static final int FIRST_SLOT = 3 * APART;

    /** Where a slot says that it is taken; before that, how many pieces were done by those who held it. */
    private static final int TAKEN = 1;

    private final Workers workers;
    private final int threads;
    private final long[] shared;
    private volatile boolean running;
    private volatile @Nullable Throwable failure;
    private ParallelTask task = ParallelTask.NONE;
    private long number;
    private long doneByOthers;

    /** A team of that many threads, of which the caller is one, with workers of its own. */
    public ThreadTeam(int threads, String name) {
        this(new Workers(threads, name), threads);
    }

    /** A team of that many threads, of which the caller is one, but no more than there are processors for the workers. */
    public ThreadTeam(Workers workers, int threads) {
        this.workers = workers;
        this.threads = Math.min(threads, workers.processors());
        this.shared = new long[FIRST_SLOT + this.threads * APART];
        workers.add(this);
    }

    /** How many threads there are at most, the caller among them. */
    public int threads() {
        return threads;
    }

    /** Counts the caller among the threads that are running; workers join when there is something to share. */
    public void begin() {
        running = true;
        workers.callerBegins(threads - 1);
    }

    /** Lets the workers go elsewhere, or to sleep. */
    public void end() {
        workers.callerEnds(threads - 1);
        running = false;
    }

    /**
     * Does a task and returns when all of it is done. What a piece throws comes out here, once every piece that was begun
     * has come to its end.
     */
    public void run(ParallelTask work) {
        int pieces = work.pieces();
        if (pieces == 1 || threads == 1 || pieces > PIECES || !workers.areAwake()) {
            for (int piece = 0; piece < pieces; piece++) {
                work.run(piece, 0);
            }
            return;
        }
        task = work;
        number++;
        LONGS.setRelease(shared, CLAIMS, number << PIECE_BITS | pieces - 1);
        int own = runOwn(work);
        if (own < pieces) {
            awaitOthers(pieces - own);
        }
        Throwable thrown = failure;
        if (thrown != null) {
            failure = null;
            throw sneak(thrown);
        }
    }

    /** Does the first piece and all that can be claimed; returns how many pieces are not another thread's. */
    private int runOwn(ParallelTask work) {
        int own = 0;
        int piece = 0;
        try {
            while (piece >= 0) {
                own++;
                work.run(piece, 0);
                piece = failure == null ? claim(work) : -1;
            }
        } catch (Throwable e) {
            failure = e;
        }
        return failure == null ? own : own + withdraw();
    }

    /** The next piece, now the caller's to do; negative if there is none. */
    private int claim(ParallelTask work) {
        long claims = (long) LONGS.getAcquire(shared, CLAIMS);
        while ((claims & PIECES) != 0) {
            long seen = (long) LONGS.compareAndExchange(shared, CLAIMS, claims, claims - 1);
            if (seen == claims) {
                return work.pieces() - (int) (claims & PIECES);
            }
            claims = seen;
        }
        return -1;
    }

    /** Claims all pieces that are left, so that no thread does them; returns how many. */
    private int withdraw() {
        long claims = (long) LONGS.getAndBitwiseAnd(shared, CLAIMS, ~PIECES);
        return (int) (claims & PIECES);
    }

    private void awaitOthers(int pieces) {
        doneByOthers += pieces;
        int polls = 0;
        while (countDone() != doneByOthers) {
            polls = Backoff.pauseOrPark(polls);
        }
    }

    private long countDone() {
        long done = 0;
        for (int slot = 1; slot < threads; slot++) {
            done += (long) LONGS.getAcquire(shared, FIRST_SLOT + slot * APART);
        }
        return done;
    }

    /** For workers: whether a graph is under way. */
    boolean isRunning() {
        return running;
    }

    /** For workers: whether there are pieces to claim. */
    boolean hasWork() {
        return ((long) LONGS.getAcquire(shared, CLAIMS) & PIECES) != 0;
    }

    /** For workers: how many there are in the team. */
    int helpers() {
        return (int) (long) LONGS.getOpaque(shared, HELPERS);
    }

    /** For workers: takes a slot; 0 if none is free. */
    public int join() {
        for (int slot = 1; slot < threads; slot++) {
            if (LONGS.compareAndSet(shared, FIRST_SLOT + slot * APART + TAKEN, 0L, 1L)) {
                LONGS.getAndAdd(shared, HELPERS, 1L);
                return slot;
            }
        }
        return 0;
    }

    /** For workers: gives a slot back. */
    void leave(int slot) {
        LONGS.getAndAdd(shared, HELPERS, -1L);
        LONGS.setRelease(shared, FIRST_SLOT + slot * APART + TAKEN, 0L);
    }

    /** For the worker in a slot: does a piece if it can claim one; returns whether it did. */
    boolean help(int slot) {
        long claims = (long) LONGS.getAcquire(shared, CLAIMS);
        while ((claims & PIECES) != 0) {
            // If the claim succeeds, the task is the one that was read: it changes only when nothing is left to claim.
            ParallelTask work = task;
            long seen = (long) LONGS.compareAndExchange(shared, CLAIMS, claims, claims - 1);
            if (seen == claims) {
                runClaimed(work, work.pieces() - (int) (claims & PIECES), slot);
                return true;
            }
            claims = seen;
        }
        return false;
    }

    private void runClaimed(ParallelTask work, int piece, int slot) {
        try {
            if (failure == null) {
                work.run(piece, slot);
            }
        } catch (Throwable e) {
            failure = e;
        }
        int done = FIRST_SLOT + slot * APART;
        LONGS.setRelease(shared, done, (long) LONGS.get(shared, done) + 1);
    }

    /** Leaves the workers to others; without others they end, and this waits for it. No task may be under way. */
    @Override
    public void close() {
        workers.remove(this);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> RuntimeException sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
