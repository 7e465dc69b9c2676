package dev.stowage.packing.search;

import dev.stowage.internal.IndexSort;
import dev.stowage.packing.Problem;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Local search on the order of a greedy pass: buffers that end too high are moved forward, or their blockers moved
 * back. Two changes are tried at a time, on two threads for large problems; the better one is kept if it is not worse.
 * The random seed is fixed, so the result depends only on the number of repairs.
 */
final class OrderRepair {

    private static final long SEED = 20;
    private static final int SPREAD = 1024;

    /** With fewer buffers a pass is shorter than starting a thread. */
    private static final int WORTH_A_THREAD = 2000;

    private final PackingRun run;
    private final Problem problem;
    private final Blockers blockers;
    private final GapFit firstFit;
    private final GapFit secondFit;
    private final SplittableRandom random = new SplittableRandom(SEED);
    private int[] order;
    private boolean smallestGap;
    private long[] offsets;
    private long height;

    /** Starts with the order of a pass, whose packing is the best so far. */
    OrderRepair(PackingRun run, GreedyPacker.Pass pass) {
        this(run, pass.order().of(run.problem(), run.timeSections()), pass.gap() == GreedyPacker.Gap.SMALLEST);
    }

    /** Starts with the best packing so far, whatever has made it: placed from the bottom up, no buffer ends higher. */
    OrderRepair(PackingRun run) {
        this(run, IndexSort.ascending(run.best().offsets()), false);
    }

    private OrderRepair(PackingRun run, int[] order, boolean smallestGap) {
        this.run = run;
        this.problem = run.problem();
        TimeSections timeSections = run.timeSections();
        this.firstFit = new GapFit(problem, timeSections);
        this.secondFit = new GapFit(problem, timeSections);
        this.blockers = new Blockers(problem, timeSections);
        this.order = order;
        this.smallestGap = smallestGap;
        this.offsets = run.best().offsets();
        this.height = run.best().height();
    }

    /** Tries pairs of changes until the run is done or has too few steps left for a pair. */
    void work(long pairs) {
        for (long pair = 0; pair < pairs && run.stepsLeft() >= 2L * problem.count() && !run.isDone(); pair++) {
            Change first = change(firstFit);
            Change second = change(secondFit);
            long secondHeight;
            long firstHeight;
            if (problem.count() >= WORTH_A_THREAD) {
                CompletableFuture<Long> other = HelperThread.start(second::pack);
                firstHeight = first.pack();
                secondHeight = other.join();
            } else {
                firstHeight = first.pack();
                secondHeight = second.pack();
            }
            run.spend(2L * problem.count());
            if (firstHeight <= secondHeight) {
                take(first, firstHeight);
            } else {
                take(second, secondHeight);
            }
        }
    }

    private void take(Change change, long reached) {
        if (reached <= height) {
            order = change.order;
            smallestGap = change.smallestGap;
            height = reached;
            offsets = change.fit.offsets().clone();
            run.offer(offsets);
        }
    }

    private Change change(GapFit fit) {
        boolean gap = random.nextInt(4) == 0 ? !smallestGap : smallestGap;
        int[] changed = random.nextInt(3) > 0
                ? blockers.delayed(order, offsets, random.nextBoolean())
                : moveForward(random.nextBoolean(), random.nextBoolean());
        return new Change(changed, gap, fit, height, run::timeIsUp);
    }

    /** The order with all buffers moved forward that end above a limit between the goal and the height. */
    private int[] moveForward(boolean aboveGoal, boolean toTheFront) {
        long goal = run.goal();
        double share = random.nextDouble();
        long limit = aboveGoal ? goal : Math.min(height - 1, goal + (long) ((height - goal) * share));
        double factor = toTheFront ? 0 : random.nextDouble();
        long[] keys = new long[order.length];
        for (int position = 0; position < order.length; position++) {
            int buffer = order[position];
            long key = (long) position * SPREAD;
            boolean tooHigh = problem.size(buffer) > 0 && offsets[buffer] + problem.size(buffer) > limit;
            keys[buffer] = tooHigh ? (long) (key * factor) : key;
        }
        int[] changed = order.clone();
        IndexSort.sort(changed, keys);
        return changed;
    }

    /** A changed order, and its packing. */
    private static final class Change {

        private final int[] order;
        private final boolean smallestGap;
        private final GapFit fit;
        private final long most;
        private final BooleanSupplier stop;

        Change(int[] order, boolean smallestGap, GapFit fit, long most, BooleanSupplier stop) {
            this.order = order;
            this.smallestGap = smallestGap;
            this.fit = fit;
            this.most = most;
            this.stop = stop;
        }

        /** The height; something above the most that is of use where it would be higher than that. */
        long pack() {
            return fit.pack(order, smallestGap, most + 1, stop);
        }
    }
}
