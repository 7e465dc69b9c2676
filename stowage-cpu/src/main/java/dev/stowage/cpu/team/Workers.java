package dev.stowage.cpu.team;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The threads that several teams share, so that together with the callers of the teams no more threads run than there are
 * processors: two that spin on one processor keep each other from what they wait for.
 *
 * <pre>
 *   callers in a graph + workers awake  &lt;=  processors
 * </pre>
 *
 * A caller always runs; workers take the processors that callers leave, spread evenly over the teams that request them. A
 * worker that is one too many falls asleep in between two pieces. One is woken only if as few callers have been running
 * for a while: a session that samples a token is between two graphs, and its processor not free.
 *
 * <p>Threads are started when teams are added that request them, and end with the last team.
 */
public final class Workers {

    private static final System.Logger LOGGER = System.getLogger("dev.stowage.cpu");

    /** The bits of {@code load} that count callers; those above count the workers they request. */
    private static final int CALLER_BITS = 32;

    private final int processors;
    private final ThreadFactory factory;
    private final RecentMaximum peak = new RecentMaximum();
    private final AtomicLong load = new AtomicLong();
    private final Object lock = new Object();
    private volatile ThreadTeam[] teams = {};
    private volatile int awake;
    private List<Worker> workers = new ArrayList<>();

    /**
     * Threads of that name, with a number each.
     *
     * @param processors how many threads may run at once, callers among them
     */
    public Workers(int processors, String name) {
        this(processors, Thread.ofPlatform().daemon().name(name + "-", 1).factory());
    }

    public Workers(int processors, ThreadFactory factory) {
        this.processors = processors;
        this.factory = factory;
    }

    /** How many threads may run at once, callers among them. */
    public int processors() {
        return processors;
    }

    /** Registers a team, and starts the threads it requests. */
    public void add(ThreadTeam team) {
        synchronized (lock) {
            List<ThreadTeam> more = new ArrayList<>(List.of(teams));
            more.add(team);
            teams = more.toArray(ThreadTeam[]::new);
            long requested = more.stream().mapToLong(each -> each.threads() - 1).sum();
            while (workers.size() < Math.min(requested, processors - 1) && startOne()) {}
        }
    }

    private boolean startOne() {
        Worker worker = new Worker(this);
        Thread thread = factory.newThread(worker);
        worker.runOn(thread);
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "the operating system gives no more threads: " + (workers.size() + 1) + " of " + processors
                            + " processors are used (" + e.getMessage() + ")");
            return false;
        }
        workers.add(worker);
        return true;
    }

    /** Forgets a team; with the last one the threads end, and this waits for them. */
    void remove(ThreadTeam team) {
        List<Worker> ending = List.of();
        synchronized (lock) {
            List<ThreadTeam> fewer = new ArrayList<>(List.of(teams));
            fewer.remove(team);
            teams = fewer.toArray(ThreadTeam[]::new);
            if (fewer.isEmpty()) {
                ending = workers;
                workers = new ArrayList<>();
                awake = 0;
            }
        }
        ending.forEach(Worker::end);
        boolean interrupted = false;
        for (Worker worker : ending) {
            interrupted |= worker.awaitEnd();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Counts a caller that requests so many workers. */
    void callerBegins(int requested) {
        peak.note(callers(load.addAndGet(((long) requested << CALLER_BITS) + 1)));
    }

    void callerEnds(int requested) {
        load.addAndGet(-((long) requested << CALLER_BITS) - 1);
    }

    private static int callers(long load) {
        return (int) load;
    }

    /** Whether workers are awake, for a caller that has something to share; wakes those there is a processor for. */
    boolean areAwake() {
        int now = awake;
        if (now < useful(load.get())) {
            wakeUseful();
            now = awake;
        }
        return now > 0;
    }

    /** How many workers there is something to do for, and a processor. */
    private int useful(long load) {
        return Math.min((int) (load >> CALLER_BITS), processors - callers(load));
    }

    private void wakeUseful() {
        synchronized (lock) {
            long now = load.get();
            int most = Math.min(useful(now), processors - peak.recent(callers(now)));
            for (int i = 0; i < workers.size() && awake < most; i++) {
                if (workers.get(i).isAsleep()) {
                    awake++;
                    workers.get(i).wake();
                }
            }
        }
    }

    /** Whether more threads run than there are processors. */
    boolean areTooMany() {
        return callers(load.get()) + awake > processors;
    }

    /** Has a worker fall asleep: if it is idle, or else one too many. */
    void sleep(Worker worker, boolean idle) {
        synchronized (lock) {
            if (!worker.isAsleep() && (idle || areTooMany()) && workers.contains(worker)) {
                worker.fallAsleep();
                awake--;
            }
        }
    }

    /** A team that needs a worker more than its own does; null if it is to stay. */
    @Nullable
    ThreadTeam betterThan(@Nullable ThreadTeam own) {
        ThreadTeam best = own != null && own.isRunning() ? own : null;
        for (ThreadTeam team : teams) {
            if (team != own && team.isRunning() && team.helpers() < team.threads() - 1 && isBetter(team, best, own)) {
                best = team;
            }
        }
        return best == own ? null : best;
    }

    private static boolean isBetter(ThreadTeam team, @Nullable ThreadTeam best, @Nullable ThreadTeam own) {
        if (best == null || (team.hasWork() && !best.hasWork())) {
            return true;
        }
        // Where it is already, it is counted.
        return team.helpers() + (best == own ? 1 : 0) < best.helpers();
    }
}
