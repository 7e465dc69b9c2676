package dev.stowage.packing.search;

import dev.stowage.packing.Problem;
import dev.stowage.packing.search.GreedyPacker.Gap;
import dev.stowage.packing.search.GreedyPacker.Pass;
import java.util.List;
import java.util.Optional;
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
                work.take(passes.get(at), work.attempt(passes.get(at), work.fit, run::timeIsUp));
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
        CompletableFuture<Optional<long[]>> other =
                HelperThread.start(() -> attempt(second, secondFit, () -> abandoned.get() || run.timeIsUp()));
        boolean wanted = false;
        try {
            take(first, attempt(first, fit, run::timeIsUp));
            wanted = !run.isDecided();
        } finally {
            abandoned.set(!wanted);
            Optional<long[]> offsets = other.join();
            if (wanted) {
                take(second, offsets);
            }
        }
    }

    /** The offsets of a pass; empty if it was stopped. */
    private Optional<long[]> attempt(Pass pass, GapFit packer, BooleanSupplier stop) {
        if (sweeps && pass.order() == GreedyOrder.TIME && pass.gap() == Gap.SMALLEST) {
            return Optional.of(new TimeSweep(problem).pack());
        }
        int[] order = pass.order().of(problem, run.timeSections());
        long height = packer.pack(order, pass.gap() == Gap.SMALLEST, stop);
        return height == Long.MAX_VALUE ? Optional.empty() : Optional.of(packer.offsets());
    }

    private void take(Pass pass, Optional<long[]> offsets) {
        if (offsets.isEmpty()) {
            return;
        }
        long before = run.best().height();
        run.offer(offsets.get());
        run.spend(problem.count());
        hasPacking = true;
        if (run.best().height() < before) {
            best = pass;
        }
    }
}
