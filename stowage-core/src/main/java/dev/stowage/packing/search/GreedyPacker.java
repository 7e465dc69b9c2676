package dev.stowage.packing.search;

import dev.stowage.packing.Budget;
import dev.stowage.packing.Packer;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import java.util.List;

/**
 * Places every buffer once, in some order, in a gap between the placed ones. Tries several orders and both gap rules,
 * and returns the lowest packing; stops when one reaches the lower bound.
 */
public final class GreedyPacker implements Packer {

    /** How to choose among the gaps that fit. */
    enum Gap {
        LOWEST,
        SMALLEST
    }

    /** One pass over all buffers. */
    record Pass(GreedyOrder order, Gap gap) {}

    /** All passes, those that are most often the best first. */
    public static final List<Pass> ALL = List.of(
            new Pass(GreedyOrder.SIZE, Gap.LOWEST),
            new Pass(GreedyOrder.AREA, Gap.LOWEST),
            new Pass(GreedyOrder.PEAK_LIFETIME, Gap.SMALLEST),
            new Pass(GreedyOrder.PEAK_SIZE, Gap.SMALLEST),
            new Pass(GreedyOrder.LIFETIME, Gap.SMALLEST),
            new Pass(GreedyOrder.TIME, Gap.SMALLEST),
            new Pass(GreedyOrder.CONFLICTS, Gap.LOWEST),
            new Pass(GreedyOrder.SIZE, Gap.SMALLEST),
            new Pass(GreedyOrder.LIFETIME, Gap.LOWEST),
            new Pass(GreedyOrder.AREA, Gap.SMALLEST),
            new Pass(GreedyOrder.CONFLICTS, Gap.SMALLEST));

    private final String name;
    private final List<Pass> passes;

    public GreedyPacker(String name, List<Pass> passes) {
        this.name = name;
        this.passes = passes;
    }

    /** The packer for one order, with both gap rules. */
    public static GreedyPacker of(String name, GreedyOrder order) {
        return new GreedyPacker(name, List.of(new Pass(order, Gap.LOWEST), new Pass(order, Gap.SMALLEST)));
    }

    /** The packer that acts like an allocator at run time: in order of start, best fit. */
    public static GreedyPacker executionOrder(String name) {
        return new GreedyPacker(name, List.of(new Pass(GreedyOrder.TIME, Gap.SMALLEST)));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public PackingResult pack(Problem problem, Budget budget) {
        PackingRun run = new PackingRun(problem, budget);
        Passes.work(run, passes);
        return run.result();
    }
}
