package dev.stowage.packing.search;

import dev.stowage.packing.Budget;
import dev.stowage.packing.Packer;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A good solution at once, and better ones while the budget lasts: greedy passes, which reach the lower bound for most
 * graphs; then changes of the best order ({@link OrderRepair}); then an exact search ({@link ExactPhase}). In a problem that
 * is too large for that, windows of time are packed in this way ({@link WindowRepair}).
 */
public final class AnytimePacker implements Packer {

    /** An exact search of more buffers does not finish in practice. */
    private static final int LARGEST_SEARCH = 4000;

    private static final int REPAIRS_BEFORE_SEARCH = 15;

    /** About what all passes take for two buffers that are live together. */
    private static final long NANOS_PER_PAIR = 100;

    private static final GreedyPacker.Pass CHEAPEST =
            new GreedyPacker.Pass(GreedyOrder.TIME, GreedyPacker.Gap.SMALLEST);

    /** For larger problems the pass that takes the least is first, so that there is an answer however little time there is. */
    private static final List<GreedyPacker.Pass> CHEAPEST_FIRST = Stream.concat(
                    Stream.of(CHEAPEST), GreedyPacker.ALL.stream().filter(pass -> !pass.equals(CHEAPEST)))
            .toList();

    @Override
    public String name() {
        return "anytime";
    }

    @Override
    public PackingResult pack(Problem problem, Budget budget) {
        PackingRun run = new PackingRun(problem, budget);
        if (problem.count() <= LARGEST_SEARCH) {
            search(run);
        } else {
            repair(run);
        }
        return run.result();
    }

    /** Packs few enough buffers for an exact search. */
    static void search(PackingRun run) {
        GreedyPacker.Pass best = Passes.work(run, GreedyPacker.ALL);
        if (!run.isDone()) {
            new OrderRepair(run, best).work(REPAIRS_BEFORE_SEARCH);
        }
        if (!run.isDone()) {
            ExactPhase.work(run);
        }
    }

    /** Packs more buffers than that. Passes for which the time is too short come last. */
    private static void repair(PackingRun run) {
        long pairs = Arrays.stream(run.timeSections().neighbours()).sum();
        boolean allFirst = run.hasTimeFor(NANOS_PER_PAIR * pairs);
        Passes.work(run, allFirst ? CHEAPEST_FIRST : CHEAPEST_FIRST.subList(0, 1));
        if (!run.isDone()) {
            new WindowRepair(run).work();
        }
        if (!run.isDone() && !allFirst) {
            Passes.work(run, CHEAPEST_FIRST.subList(1, CHEAPEST_FIRST.size()));
        }
        if (!run.isDone()) {
            new OrderRepair(run).work(Long.MAX_VALUE);
        }
    }
}
