package dev.stowage.packing.search;

import dev.stowage.packing.Budget;
import dev.stowage.packing.Packer;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import java.util.List;

/**
 * Finds a packing and proves that none is lower, or proves that none fits into the capacity that is asked for, if the
 * budget allows. It begins with one greedy pass and then searches systematically: see {@link SkylineSearch} for how, and
 * {@link SubproblemSearch} for which heights are tried.
 */
public final class ExactPacker implements Packer {

    @Override
    public String name() {
        return "exact";
    }

    @Override
    public PackingResult pack(Problem problem, Budget budget) {
        PackingRun run = new PackingRun(problem, budget);
        GreedyPacker.work(run, List.of(GreedyPacker.ALL.getFirst()));
        ExactPhase.work(run);
        return run.result();
    }
}
