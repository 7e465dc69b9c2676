package dev.stowage.testkit.race;

import java.util.ArrayList;
import java.util.List;

/**
 * The memory accesses and the waits on all devices that share this log, in the order they were submitted. All
 * calling threads count as one, the host: how the threads of a program order themselves is not seen here.
 *
 * {@snippet :
 * AccessLog log = new AccessLog();
 * SimulatedDevice gpu = SimulatedDevice.named("gpu").accesses(log).build();
 * // use the device
 * assertThat(RaceDetector.races(log)).isEmpty();
 * }
 *
 * <p>May be used from any thread.
 */
public final class AccessLog {

    private final List<Actor> actors = new ArrayList<>();
    private final List<LogEntry> entries = new ArrayList<>();

    /** An empty log. */
    public AccessLog() {
        actors.add(new Actor(0, "host"));
    }

    /** The program that makes the calls. */
    public synchronized Actor host() {
        return actors.getFirst();
    }

    /** A new stream of work. */
    public synchronized Actor stream(String name) {
        Actor stream = new Actor(actors.size(), name);
        actors.add(stream);
        return stream;
    }

    /** Records an entry. */
    public synchronized void add(LogEntry entry) {
        entries.add(entry);
    }

    /** Records that the host accesses bytes. */
    public void addHostWork(String what, MemoryAccess... accesses) {
        add(new LogEntry.Work(host(), what, List.of(accesses)));
    }

    /** The entries so far. */
    public synchronized List<LogEntry> entries() {
        return List.copyOf(entries);
    }

    /** The host and all streams, by number. */
    public synchronized List<Actor> actors() {
        return List.copyOf(actors);
    }
}
