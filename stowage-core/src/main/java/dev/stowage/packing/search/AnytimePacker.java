package dev.stowage.packing.search;

import dev.stowage.packing.Budget;
import dev.stowage.packing.Packer;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import java.util.List;

/**
 * A good answer at once, and better ones as long as the budget lasts. It begins with greedy passes and stops where one
 * reaches the lower bound, as it does for most graphs. Then the orders of the best pass are changed where they failed
 * ({@link OrderRepair}), and problems that are small enough are searched systematically ({@link ExactPhase}).
 */
public final class AnytimePacker implements Packer {

    /** Beyond so many buffers a systematic search gets nowhere in any budget that people have. */
    private static final int LARGEST_SEARCH = 4000;

    private static final int REPAIRS_BEFORE_SEARCH = 15;

    /** With more buffers than a search can take, passes are dear and better spent on repairs. */
    private static final List<GreedyPacker.Pass> FEW_PASSES = GreedyPacker.ALL.subList(0, 4);

    @Override
    public String name() {
        return "anytime";
    }

    @Override
    public PackingResult pack(Problem problem, Budget budget) {
        PackingRun run = new PackingRun(problem, budget);
        boolean searchable = problem.count() <= LARGEST_SEARCH;
        GreedyPacker.Pass best = GreedyPacker.work(run, searchable ? GreedyPacker.ALL : FEW_PASSES);
        if (!run.isDone()) {
            new OrderRepair(run, best).work(searchable ? REPAIRS_BEFORE_SEARCH : Long.MAX_VALUE);
        }
        if (!run.isDone()) {
            ExactPhase.work(run);
        }
        return run.result();
    }
}
