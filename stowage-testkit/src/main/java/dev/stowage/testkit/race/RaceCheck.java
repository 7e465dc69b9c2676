package dev.stowage.testkit.race;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Goes through an {@link AccessLog} with a vector clock for every actor: for each other actor, how many of its pieces of
 * work are over for certain. An access is ordered behind an earlier one of another actor if that one is among them.
 *
 * <p>Shares nothing with a scheduler: it knows only what was touched and who waited for whom. Bytes of a strided tensor
 * are taken from the first to the last, gaps included.
 */
public final class RaceCheck {

    /** Two accesses are of the same two pieces of work however many bytes and tensors they meet in. */
    private record Pair(int earlier, int later) {}

    private final int[][] clocks;
    private final IdentityHashMap<Object, int[]> marks = new IdentityHashMap<>();
    private final TouchedBytes touched;
    private final Map<Pair, Race> races = new LinkedHashMap<>();

    private RaceCheck(int actors) {
        this.clocks = new int[actors][actors];
        this.touched = new TouchedBytes(actors);
    }

    /** All pairs of conflicting accesses that nothing orders, in the order of the later one; one for two pieces of work. */
    public static List<Race> races(AccessLog log) {
        RaceCheck check = new RaceCheck(log.actors().size());
        List<Happening> happenings = log.happenings();
        for (int number = 0; number < happenings.size(); number++) {
            check.take(number, happenings.get(number));
        }
        return new ArrayList<>(check.races.values());
    }

    private void take(int number, Happening happening) {
        int[] clock = clocks[happening.actor().number()];
        // Whatever a stream is handed, it does after what the host has done so far.
        join(clock, clocks[0]);
        switch (happening) {
            case Happening.Work work -> enter(number, work);
            case Happening.Mark mark -> marks.put(mark.mark(), clock.clone());
            case Happening.Await await -> {
                int @Nullable [] reached = marks.get(await.mark());
                if (reached != null) {
                    join(clock, reached);
                }
            }
            case Happening.Finish _ -> join(clocks[0], clock);
        }
    }

    private static void join(int[] clock, int[] other) {
        for (int actor = 0; actor < clock.length; actor++) {
            clock[actor] = Math.max(clock[actor], other[actor]);
        }
    }

    private void enter(int number, Happening.Work work) {
        int[] clock = clocks[work.actor().number()];
        int turn = ++clock[work.actor().number()];
        for (Touch touch : work.touches()) {
            Access access = new Access(number, work, touch, turn);
            touched.enter(access, (earlier, bytes) -> {
                int seen = clock[earlier.actor().number()];
                if (earlier.turn() > seen) {
                    races.merge(
                            new Pair(earlier.number(), number),
                            new Race(earlier, access, bytes, seen),
                            RaceCheck::together);
                }
            });
        }
    }

    /** Counts the bytes of one meeting that a border between cells cut in two. */
    private static Race together(Race known, Race more) {
        boolean sameTouches = known.earlier().touch().equals(more.earlier().touch())
                && known.later().touch().equals(more.later().touch());
        return sameTouches
                ? new Race(known.earlier(), known.later(), known.bytes() + more.bytes(), known.seen())
                : known;
    }
}
