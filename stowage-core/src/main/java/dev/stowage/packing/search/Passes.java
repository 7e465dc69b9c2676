package dev.stowage.packing.search;

import dev.stowage.packing.Problem;
import dev.stowage.packing.Solution;
import dev.stowage.packing.search.GreedyPacker.Gap;
import dev.stowage.packing.search.GreedyPacker.Pass;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Runs greedy passes over a problem, two at a time on two threads if it is large. Passes count in their order: the second
 * of a pair is used only if the first has not reached the goal, so that the result is the same as on one thread.
 */
final class Passes {

    /** With fewer buffers a pass is shorter than starting a thread. */
    private static final int WORTH_A_THREAD = 2000;

    private final PackingRun run;
    private final Problem problem;
    private final boolean sweeps;
    private final GapFit fit;
    private final GapFit secondFit;
    private Pass best;
    private boolean hasPacking;

    Passes(PackingRun run, Pass first) {
        this.run = run;
        this.problem = run.problem();
        this.sweeps = TimeSweep.serves(problem);
        this.fit = new GapFit(problem, run.timeSections());
        this.secondFit = new GapFit(problem, run.timeSections());
        this.best = first;
    }

    /**
     * Runs passes until the goal is reached or the budget ends; returns the best. The first one is run whatever it takes in
     * steps. If there is no time to end it, the buffers are placed by their start, which takes the least.
     */
    static Pass work(PackingRun run, List<Pass> passes) {
        Passes work = new Passes(run, passes.getFirst());
        int at = 0;
        while (at == 0 || (at < passes.size() && work.hasStepsFor(1) && !run.isDone())) {
            if (at + 1 < passes.size() && work.isWorthAThread()) {
                work.runPair(passes.get(at), passes.get(at + 1));
                at += 2;
            } else {
                Pass pass = passes.get(at);
                work.take(pass, work.attempt(pass, work.fit, run.best().height(), run::timeIsUp));
                at++;
            }
        }
        if (!work.hasPacking && work.sweeps) {
            run.offer(new TimeSweep(run.problem()).pack());
        }
        return work.best;
    }

    private boolean hasStepsFor(int passes) {
        return run.stepsLeft() / passes >= problem.count();
    }

    private boolean isWorthAThread() {
        return problem.count() >= WORTH_A_THREAD && hasStepsFor(2);
    }

    /** Runs two passes at the same time. */
    private void runPair(Pass first, Pass second) {
        AtomicBoolean abandoned = new AtomicBoolean();
        long limit = run.best().height();
        CompletableFuture<Attempt> other =
                HelperThread.start(() -> attempt(second, secondFit, limit, () -> abandoned.get() || run.timeIsUp()));
        boolean wanted = false;
        try {
            take(first, attempt(first, fit, limit, run::timeIsUp));
            wanted = !run.isDecided();
        } finally {
            abandoned.set(!wanted);
            Attempt found = other.join();
            if (wanted) {
                take(second, found);
            }
        }
    }

    /** What a pass has found, or how far it came: all offsets are set only where the height is below the limit. */
    private static final class Attempt {

        private final long height;
        private final long[] offsets;

        Attempt(long height, long[] offsets) {
            this.height = height;
            this.offsets = offsets;
        }
    }

    private Attempt attempt(Pass pass, GapFit packer, long limit, BooleanSupplier stop) {
        if (sweeps && pass.order() == GreedyOrder.TIME && pass.gap() == Gap.SMALLEST) {
            long[] offsets = new TimeSweep(problem).pack();
            return new Attempt(Solution.of(problem, offsets).height(), offsets);
        }
        int[] order = pass.order().of(problem, run.timeSections());
        return new Attempt(packer.pack(order, pass.gap() == Gap.SMALLEST, limit, stop), packer.offsets());
    }

    private void take(Pass pass, Attempt attempt) {
        if (attempt.height == GapFit.STOPPED) {
            return;
        }
        run.spend(problem.count());
        hasPacking = true;
        if (attempt.height < run.best().height()) {
            run.offer(attempt.offsets);
            best = pass;
        }
    }
}
