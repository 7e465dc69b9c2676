package dev.stowage.testkit.race;

import java.util.ArrayList;
import java.util.List;

/**
 * Who touched which bytes and who waited for whom, on all devices that share this log, in the order it was handed in. All
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

    /** Takes something down. */
    public synchronized void add(LogEntry entry) {
        entries.add(entry);
    }

    /** Takes down that the host touches bytes. */
    public void addHostWork(String what, MemoryAccess... accesses) {
        add(new LogEntry.Work(host(), what, List.of(accesses)));
    }

    /** What has been taken down so far. */
    public synchronized List<LogEntry> entries() {
        return List.copyOf(entries);
    }

    /** The host and all streams, by number. */
    public synchronized List<Actor> actors() {
        return List.copyOf(actors);
    }
}
