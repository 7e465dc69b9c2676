package dev.stowage.cpu.team;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads that work through tasks together with the one that calls. Handing a task over is one write that the others
 * spin on, because a graph has a thousand tasks that are often shorter than waking a thread takes; they spin only between
 * {@link #begin()} and {@link #end()}, and sleep otherwise.
 *
 * <pre>
 *   caller   task = t; next = threads; epoch++   own pieces ...        until done[i] == epoch for all i
 *   thread i            until epoch changes  ──► own pieces ...  ──►  done[i] = epoch
 * </pre>
 *
 * Thread {@code i} begins with piece {@code i} and takes from {@code next} after that.
 */
public final class ThreadTeam implements AutoCloseable {

    /** Longs between counters that different threads write: two cache lines, as processors fetch them in pairs. */
    private static final int APART = 16;

    /** How often to look before letting another thread have the core, which it may need to get on. */
    private static final int LOOKS_BEFORE_YIELDING = 20_000;

    /** How often to look for the next graph before going to sleep: some ten microseconds. */
    private static final int LOOKS_BEFORE_SLEEPING = 500;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    private static final int EPOCH = APART;
    private static final int NEXT = 2 * APART;
    private static final int FIRST_DONE = 3 * APART;

    private final int threads;
    private final Thread[] workers;
    private final long[] shared;
    private final boolean[] asleep;
    private volatile boolean awake;
    private volatile boolean closed;
    private volatile @Nullable Throwable failure;
    private @Nullable Task task;
    private long epoch;

    /** A team of that many threads, of which the caller is one. */
    public ThreadTeam(int threads, String name) {
        this.threads = threads;
        this.shared = new long[FIRST_DONE + threads * APART];
        this.asleep = new boolean[threads];
        this.workers = new Thread[threads - 1];
        for (int i = 1; i < threads; i++) {
            int number = i;
            workers[i - 1] = Thread.ofPlatform().daemon().name(name + "-" + i).start(() -> work(number));
        }
    }

    /** How many threads there are, the caller among them. */
    public int threads() {
        return threads;
    }

    /** Wakes the threads for tasks to come. */
    public void begin() {
        awake = true;
        VarHandle.fullFence();
        for (int i = 1; i < threads; i++) {
            if (asleep[i]) {
                LockSupport.unpark(workers[i - 1]);
            }
        }
    }

    /** Lets the threads go to sleep. */
    public void end() {
        awake = false;
    }

    /**
     * Does a task and returns when all of it is done. What a piece throws comes out here, once every piece that was begun
     * has come to its end.
     */
    public void run(Task work) {
        if (work.pieces() == 1 || threads == 1) {
            for (int piece = 0; piece < work.pieces(); piece++) {
                work.run(piece, 0);
            }
            return;
        }
        task = work;
        LONGS.setOpaque(shared, NEXT, (long) threads);
        epoch++;
        LONGS.setRelease(shared, EPOCH, epoch);
        takePart(work, 0);
        for (int i = 1; i < threads; i++) {
            awaitThread(i);
        }
        Throwable thrown = failure;
        if (thrown != null) {
            failure = null;
            throw sneak(thrown);
        }
    }

    private void awaitThread(int thread) {
        int looks = 0;
        while ((long) LONGS.getAcquire(shared, FIRST_DONE + thread * APART) != epoch) {
            looks = pause(looks);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // where threads outnumber cores, the one waited for may need this core
    private static int pause(int looks) {
        if (looks < LOOKS_BEFORE_YIELDING) {
            Thread.onSpinWait();
            return looks + 1;
        }
        Thread.yield();
        return looks;
    }

    private void takePart(Task work, int thread) {
        try {
            int pieces = work.pieces();
            long piece = thread;
            while (piece < pieces && failure == null) {
                work.run((int) piece, thread);
                piece = (long) LONGS.getAndAdd(shared, NEXT, 1L);
            }
        } catch (Throwable e) {
            failure = e;
        }
    }

    private void work(int number) {
        long seen = 0;
        int looks = 0;
        while (!closed) {
            long current = (long) LONGS.getAcquire(shared, EPOCH);
            if (current != seen) {
                seen = current;
                Task work = task;
                if (work != null) {
                    takePart(work, number);
                }
                LONGS.setRelease(shared, FIRST_DONE + number * APART, current);
                looks = 0;
            } else if (awake || looks < LOOKS_BEFORE_SLEEPING) {
                looks = pause(looks);
            } else {
                sleep(number, seen);
                looks = 0;
            }
        }
    }

    private void sleep(int number, long seen) {
        asleep[number] = true;
        VarHandle.fullFence();
        if (!awake && !closed && (long) LONGS.getAcquire(shared, EPOCH) == seen) {
            LockSupport.park(this);
        }
        asleep[number] = false;
    }

    /** Ends the threads and waits until they have; no task may be under way. */
    @Override
    public void close() {
        closed = true;
        boolean interrupted = false;
        for (Thread worker : workers) {
            LockSupport.unpark(worker);
            while (worker.isAlive()) {
                try {
                    worker.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> RuntimeException sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
