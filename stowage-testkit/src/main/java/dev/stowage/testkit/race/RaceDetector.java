package dev.stowage.testkit.race;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Goes through an {@link AccessLog} with a vector clock for every actor: for each other actor, how many of its pieces
 * of work are known to be over. An access is ordered after an earlier one of another actor if that one is among them.
 *
 * <p>Shares nothing with a scheduler: it knows only the accesses and the waits. Bytes of a strided tensor
 * are taken from the first to the last, gaps included.
 */
public final class RaceDetector {

    /** Two accesses are of the same two pieces of work however many bytes and tensors they meet in. */
    private record Pair(int earlier, int later) {}

    private final int[][] clocks;
    private final IdentityHashMap<Object, int[]> signals = new IdentityHashMap<>();
    private final ShadowMemory shadow;
    private final Map<Pair, Race> races = new LinkedHashMap<>();

    private RaceDetector(int actors) {
        this.clocks = new int[actors][actors];
        this.shadow = new ShadowMemory(actors);
    }

    /**
     * All pairs of conflicting accesses that nothing orders, in the order of the later one; one for two pieces of work.
     */
    public static List<Race> races(AccessLog log) {
        RaceDetector detector = new RaceDetector(log.actors().size());
        List<LogEntry> entries = log.entries();
        for (int number = 0; number < entries.size(); number++) {
            detector.visit(number, entries.get(number));
        }
        return new ArrayList<>(detector.races.values());
    }

    private void visit(int number, LogEntry entry) {
        int[] clock = clocks[entry.actor().number()];
        // Work submitted to a stream runs after what the host has done so far.
        join(clock, clocks[0]);
        switch (entry) {
            case LogEntry.Work work -> enter(number, work);
            case LogEntry.Signal signal -> signals.put(signal.event(), clock.clone());
            case LogEntry.Wait wait -> {
                int @Nullable [] reached = signals.get(wait.event());
                if (reached != null) {
                    join(clock, reached);
                }
            }
            case LogEntry.Synchronize _ -> join(clocks[0], clock);
        }
    }

    private static void join(int[] clock, int[] other) {
        for (int actor = 0; actor < clock.length; actor++) {
            clock[actor] = Math.max(clock[actor], other[actor]);
        }
    }

    private void enter(int number, LogEntry.Work work) {
        int[] clock = clocks[work.actor().number()];
        int epoch = ++clock[work.actor().number()];
        for (MemoryAccess part : work.accesses()) {
            LoggedAccess access = new LoggedAccess(number, work, part, epoch);
            shadow.record(access, (earlier, bytes) -> {
                int seen = clock[earlier.actor().number()];
                if (earlier.epoch() > seen) {
                    races.merge(
                            new Pair(earlier.number(), number),
                            new Race(earlier, access, bytes, seen),
                            RaceDetector::together);
                }
            });
        }
    }

    /** Adds up the bytes of one conflict that a border between cells cut in two. */
    private static Race together(Race known, Race more) {
        boolean sameBytes = known.earlier().bytes().equals(more.earlier().bytes())
                && known.later().bytes().equals(more.later().bytes());
        return sameBytes ? new Race(known.earlier(), known.later(), known.bytes() + more.bytes(), known.seen()) : known;
    }
}
