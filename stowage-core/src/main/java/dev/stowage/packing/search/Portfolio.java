package dev.stowage.packing.search;

import dev.stowage.packing.Solution;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Many short searches instead of one long one: every style is restarted once per round, with limits by Luby's sequence
 * (1 1 2 1 1 2 4 ...), because run times of searches are heavy-tailed.
 *
 * <p>Two lanes, each on its own thread, run the even and the odd restarts:
 *
 * <pre>
 *   lane 0   │ restart 0 │ restart 2 │   restart 4   │ ...           the result is that of the first restart
 *   lane 1               │ restart 1 │ restart 3 │ restart 5 │          that has one, not of the fastest
 * </pre>
 *
 * A restart depends only on earlier restarts of its lane, and is cancelled only by the result of an earlier one. So
 * results are reproducible with a budget in steps. Restart 0 runs alone, since it often suffices.
 */
final class Portfolio {

    private static final int LANES = 2;
    private static final int UNDECIDED = Integer.MAX_VALUE;
    private static final long FAILURES_PER_BUFFER = 2;
    private static final long FEWEST_FAILURES = 200;

    /** The verdict of an attempt, its solution, and the steps used. */
    record Attempt(SkylineSearch.Verdict verdict, @Nullable Solution solution, long steps) {}

    private final SearchModel model;
    private final int patience;
    private final SkylineSearch[] searches = new SkylineSearch[LANES];

    /**
     * A portfolio without recorded failures.
     *
     * @param patience a factor on the length of restarts
     */
    Portfolio(SearchModel model, int patience) {
        this.model = model;
        this.patience = patience;
        Arrays.setAll(searches, _ -> new SkylineSearch(model));
    }

    /** Tries to pack within a capacity, for some rounds, counted from {@code firstRound}. */
    Attempt attempt(long capacity, int firstRound, int rounds, PackingRun run) {
        List<SearchStyle> styles = model.isTight(capacity) ? SearchStyle.WITHOUT_SLACK : SearchStyle.ALL;
        int restarts = rounds * styles.size();
        Lane[] lanes = new Lane[LANES];
        AtomicInteger decided = new AtomicInteger(UNDECIDED);
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] = new Lane(searches[lane], capacity, styles, firstRound, restarts, run, decided);
        }
        if (restarts > 0) {
            lanes[0].restart(0);
        }
        if (decided.get() == UNDECIDED && restarts > 1 && !run.timeIsUp()) {
            CompletableFuture<Boolean> other = HelperThread.start(() -> lanes[1].restarts(1));
            lanes[0].restarts(LANES);
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
        // The progress of the other lane depends on timing, so its failures must not be reused.
        for (SkylineSearch search : searches) {
            search.forget();
        }
        return attempt;
    }

    /** The failures after which a restart ends. */
    private long failureLimit(int round) {
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

    /** One of the threads: runs every second restart, with its own search. */
    private final class Lane {

        private final SkylineSearch search;
        private final long capacity;
        private final List<SearchStyle> styles;
        private final int firstRound;
        private final PackingRun run;
        private final AtomicInteger decided;
        private final long[] stepsOfRestart;
        private long stepsLeft;
        private SkylineSearch.Verdict verdict = SkylineSearch.Verdict.GAVE_UP;

        Lane(
                SkylineSearch search,
                long capacity,
                List<SearchStyle> styles,
                int firstRound,
                int restarts,
                PackingRun run,
                AtomicInteger decided) {
            this.search = search;
            this.capacity = capacity;
            this.styles = styles;
            this.firstRound = firstRound;
            this.run = run;
            this.decided = decided;
            this.stepsOfRestart = new long[restarts];
            this.stepsLeft = run.stepsLeft() / LANES;
        }

        /** Runs every second restart from a first one on; returns whether the attempt is undecided. */
        boolean restarts(int first) {
            for (int restart = first;
                    restart < stepsOfRestart.length && restart < decided.get() && stepsLeft > 0;
                    restart += LANES) {
                if (run.timeIsUp()) {
                    return false;
                }
                restart(restart);
            }
            return decided.get() == UNDECIDED;
        }

        void restart(int restart) {
            int round = firstRound + restart / styles.size();
            int index = restart % styles.size();
            // The first round uses the styles unchanged, later rounds perturb them with a new seed.
            SearchStyle style = styles.get(index).withSeed((long) round * styles.size() + (round == 0 ? 0 : index));
            SkylineSearch.Verdict found = search.run(
                    capacity, style, failureLimit(round), stepsLeft, () -> decided.get() < restart || run.timeIsUp());
            stepsOfRestart[restart] = search.steps();
            stepsLeft -= search.steps();
            if (found != SkylineSearch.Verdict.GAVE_UP) {
                verdict = found;
                decided.accumulateAndGet(restart, Math::min);
            }
        }

        /** The steps of all restarts up to the deciding one; later ones do not count. */
        long stepsUpTo(int last) {
            long steps = 0;
            for (int restart = 0; restart < stepsOfRestart.length && restart <= last; restart++) {
                steps += stepsOfRestart[restart];
            }
            return steps;
        }
    }
}
