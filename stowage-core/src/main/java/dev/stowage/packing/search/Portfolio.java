package dev.stowage.packing.search;

import dev.stowage.packing.Solution;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Many short searches instead of one long one: every style gets a turn in every round, and turns get longer by Luby's
 * sequence (1 1 2 1 1 2 4 ...), because a search either finds its way soon or not for a very long time.
 *
 * <p>Turns are numbered, and two lanes take them in turn, the even ones and the odd ones, each on a thread of its own:
 *
 * <pre>
 *   lane 0   │ turn 0 │ turn 2 │   turn 4   │ ...        the answer is that of the lowest turn
 *   lane 1            │ turn 1 │ turn 3 │ turn 5 │       that has one, not that of the fastest
 * </pre>
 *
 * What a turn does depends only on the earlier turns of its own lane. A turn is broken off only when a lower one has an
 * answer. So the result is the same on every machine, as long as the budget is counted in steps. Turn 0 goes alone, since
 * it is often all that is needed.
 */
final class Portfolio {

    private static final int LANES = 2;
    private static final int UNDECIDED = Integer.MAX_VALUE;
    private static final long FAILURES_PER_BUFFER = 2;
    private static final long FEWEST_FAILURES = 200;

    /** How an attempt ended: what was found or proven, and the steps it took. */
    record Attempt(SkylineSearch.Verdict verdict, @Nullable Solution solution, long steps) {}

    private final SearchModel model;
    private final int patience;
    private final SkylineSearch[] searches = new SkylineSearch[LANES];

    /**
     * A portfolio that has not learned anything yet.
     *
     * @param patience how long turns are, as a multiple of the usual
     */
    Portfolio(SearchModel model, int patience) {
        this.model = model;
        this.patience = patience;
        Arrays.setAll(searches, _ -> new SkylineSearch(model));
    }

    /** Tries to pack within a capacity, for some rounds, counted from {@code firstRound}. */
    Attempt attempt(long capacity, int firstRound, int rounds, PackingRun run) {
        List<SearchStyle> styles = model.isTight(capacity) ? SearchStyle.WITHOUT_SLACK : SearchStyle.ALL;
        int turns = rounds * styles.size();
        Lane[] lanes = new Lane[LANES];
        AtomicInteger decided = new AtomicInteger(UNDECIDED);
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] = new Lane(searches[lane], capacity, styles, firstRound, turns, run, decided);
        }
        if (turns > 0) {
            lanes[0].turn(0);
        }
        if (decided.get() == UNDECIDED && turns > 1 && !run.timeIsUp()) {
            CompletableFuture<Boolean> other = HelperThread.start(() -> lanes[1].turns(1));
            lanes[0].turns(LANES);
            other.join();
        }
        return conclude(lanes, decided.get());
    }

    private Attempt conclude(Lane[] lanes, int decided) {
        long steps = 0;
        for (Lane lane : lanes) {
            steps += lane.stepsUpTo(decided);
        }
        if (decided == UNDECIDED) {
            return new Attempt(SkylineSearch.Verdict.GAVE_UP, null, steps);
        }
        Lane winner = lanes[decided % LANES];
        SkylineSearch.Verdict verdict = winner.verdict;
        Attempt attempt =
                new Attempt(verdict, verdict == SkylineSearch.Verdict.SOLVED ? winner.search.solution() : null, steps);
        // How far the other lane got is a matter of chance, so nobody may learn from it.
        for (SkylineSearch search : searches) {
            search.forget();
        }
        return attempt;
    }

    /** The dead ends after which a turn is over. Steps that just go on are no sign of being lost. */
    private long turnFailures(int round) {
        return Math.max(FEWEST_FAILURES, FAILURES_PER_BUFFER * model.count) * patience * luby(round + 1);
    }

    /** The sequence 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ..., counted from 1. */
    static long luby(int index) {
        int at = index;
        while (true) {
            int power = 32 - Integer.numberOfLeadingZeros(at);
            if (at == (1 << power) - 1) {
                return 1L << (power - 1);
            }
            at -= (1 << (power - 1)) - 1;
        }
    }

    /** One of the threads: takes every second turn, with a search of its own. */
    private final class Lane {

        private final SkylineSearch search;
        private final long capacity;
        private final List<SearchStyle> styles;
        private final int firstRound;
        private final PackingRun run;
        private final AtomicInteger decided;
        private final long[] stepsOfTurn;
        private long stepsLeft;
        private SkylineSearch.Verdict verdict = SkylineSearch.Verdict.GAVE_UP;

        Lane(
                SkylineSearch search,
                long capacity,
                List<SearchStyle> styles,
                int firstRound,
                int turns,
                PackingRun run,
                AtomicInteger decided) {
            this.search = search;
            this.capacity = capacity;
            this.styles = styles;
            this.firstRound = firstRound;
            this.run = run;
            this.decided = decided;
            this.stepsOfTurn = new long[turns];
            this.stepsLeft = run.stepsLeft() / LANES;
        }

        /** Takes every second turn from a first one on; returns whether all were taken. */
        boolean turns(int first) {
            for (int turn = first; turn < stepsOfTurn.length && turn < decided.get() && stepsLeft > 0; turn += LANES) {
                if (run.timeIsUp()) {
                    return false;
                }
                turn(turn);
            }
            return decided.get() == UNDECIDED;
        }

        void turn(int turn) {
            int round = firstRound + turn / styles.size();
            int index = turn % styles.size();
            // Every style begins as it is; later it comes with small changes, never the same twice.
            SearchStyle style = styles.get(index).withSeed((long) round * styles.size() + (round == 0 ? 0 : index));
            SkylineSearch.Verdict found = search.run(
                    capacity, style, turnFailures(round), stepsLeft, () -> decided.get() < turn || run.timeIsUp());
            stepsOfTurn[turn] = search.steps();
            stepsLeft -= search.steps();
            if (found != SkylineSearch.Verdict.GAVE_UP) {
                verdict = found;
                decided.accumulateAndGet(turn, Math::min);
            }
        }

        /** The steps of all turns up to the one that decided; later ones are as if they had not been. */
        long stepsUpTo(int last) {
            long steps = 0;
            for (int turn = 0; turn < stepsOfTurn.length && turn <= last; turn++) {
                steps += stepsOfTurn[turn];
            }
            return steps;
        }
    }
}
