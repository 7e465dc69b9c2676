package dev.stowage.packing.search;

import dev.stowage.packing.Budget;
import dev.stowage.packing.Packer;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import java.util.List;

/**
 * Finds an optimal packing, or proves that none fits the requested capacity, if the budget allows: one greedy pass,
 * then a systematic search ({@link SkylineSearch}) of decreasing heights ({@link SubproblemSearch}).
 */
public final class ExactPacker implements Packer {

    @Override
    public String name() {
        return "exact";
    }

    @Override
    public PackingResult pack(Problem problem, Budget budget) {
        PackingRun run = new PackingRun(problem, budget);
        Passes.work(run, List.of(GreedyPacker.ALL.getFirst()));
        ExactPhase.work(run);
        return run.result();
    }
}
