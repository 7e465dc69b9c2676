package dev.stowage.packing.search;

import dev.stowage.packing.Budget;
import dev.stowage.packing.Packer;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import java.util.List;
import java.util.stream.Stream;

/**
 * A good solution at once, and better ones while the budget lasts: greedy passes, which reach the lower bound for most
 * graphs; then changes of the best order ({@link OrderRepair}); then, for problems that are small enough, an exact
 * search ({@link ExactPhase}).
 */
public final class AnytimePacker implements Packer {

    /** An exact search of more buffers does not finish in practice. */
    private static final int LARGEST_SEARCH = 4000;

    private static final int REPAIRS_BEFORE_SEARCH = 15;

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
        boolean searchable = problem.count() <= LARGEST_SEARCH;
        GreedyPacker.Pass best = Passes.work(run, searchable ? GreedyPacker.ALL : CHEAPEST_FIRST);
        if (!run.isDone()) {
            new OrderRepair(run, best).work(searchable ? REPAIRS_BEFORE_SEARCH : Long.MAX_VALUE);
        }
        if (searchable && !run.isDone()) {
            ExactPhase.work(run);
        }
        return run.result();
    }
}
