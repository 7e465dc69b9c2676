package dev.stowage.cpu.team;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that helps whichever team has something to share. It stays with a team from task to task, moves where it is
 * needed more, and sleeps when there is nothing to do or no processor for it. In between two pieces it can always go:
 * no team waits for it.
 */
final class Worker implements Runnable {

    /** How often to look for work before asking whether to stay. */
    private static final int POLLS_PER_ROUND = 64;

    /** How many pieces to do before asking whether another team needs help more. */
    private static final int PIECES_PER_ROUND = 16;

    /** How often to look for the next graph before going to sleep: some ten microseconds. */
    private static final int POLLS_BETWEEN_GRAPHS = 512;

    private final Workers workers;
    private volatile boolean asleep = true;
    private volatile boolean ended;
    private @Nullable Thread thread;
    private @Nullable ThreadTeam team;
    private int slot;

    Worker(Workers workers) {
        this.workers = workers;
    }

    /** Says which thread this is, before that starts. */
    void runOn(Thread newThread) {
        thread = newThread;
    }

    boolean isAsleep() {
        return asleep;
    }

    /** Called with the lock of the workers held. */
    void fallAsleep() {
        asleep = true;
    }

    void wake() {
        asleep = false;
        LockSupport.unpark(thread);
    }

    /** Has the thread end as soon as it is in between two pieces. */
    void end() {
        ended = true;
        LockSupport.unpark(thread);
    }

    /** Waits until the thread has ended; returns whether this thread was interrupted meanwhile. */
    boolean awaitEnd() {
        Thread waitedFor = thread;
        boolean interrupted = false;
        while (waitedFor != null && waitedFor.isAlive()) {
            try {
                waitedFor.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        return interrupted;
    }

    @Override
    public void run() {
        int polls = 0;
        int pieces = 0;
        while (!ended) {
            if (asleep) {
                LockSupport.park(workers);
                polls = 0;
                continue;
            }
            ThreadTeam current = team;
            if (current != null && current.help(slot)) {
                polls = 0;
                pieces++;
                if (pieces % PIECES_PER_ROUND == 0 || workers.areTooMany()) {
                    stayOrGo(polls);
                }
            } else if (polls % POLLS_PER_ROUND == 0) {
                stayOrGo(polls);
                polls++;
            } else {
                polls = Backoff.pause(polls);
            }
        }
        leave();
    }

    private void stayOrGo(int polls) {
        ThreadTeam current = team;
        boolean running = current != null && current.isRunning();
        boolean idle = polls >= (running ? Backoff.POLLS : POLLS_BETWEEN_GRAPHS);
        if (idle || workers.areTooMany()) {
            leave();
            workers.sleep(this, idle);
            return;
        }
        ThreadTeam better = workers.betterThan(current);
        if (better != null) {
            leave();
            slot = better.join();
            team = slot == 0 ? null : better;
        }
    }

    private void leave() {
        ThreadTeam current = team;
        if (current != null) {
            current.leave(slot);
            team = null;
        }
    }
}
