package dev.stowage.packing.search;

import dev.stowage.packing.Budget;
import dev.stowage.packing.Packer;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import java.util.List;

/**
 * Places every buffer once, in some order, into a gap between those that lie already. Several orders and both ways to
 * choose a gap can be tried; the lowest packing is the answer. It ends early where a packing reaches the lower bound.
 */
public final class GreedyPacker implements Packer {

    /** How to choose among the gaps a buffer fits into. */
    enum Gap {
        LOWEST,
        SMALLEST
    }

    /** One pass over all buffers. */
    record Pass(GreedyOrder order, Gap gap) {}

    /** Passes in the order of how often they are the best: the first ones are enough for most graphs. */
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

    /** The packer that tries one order, with the lowest and with the smallest gap. */
    public static GreedyPacker of(String name, GreedyOrder order) {
        return new GreedyPacker(name, List.of(new Pass(order, Gap.LOWEST), new Pass(order, Gap.SMALLEST)));
    }

    /**
     * The packer that does what an allocator does at run time: buffers come as they are born, and each takes the smallest
     * free block that is large enough.
     */
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
        work(run, passes);
        return run.result();
    }

    /** Makes passes until the goal is reached or the budget ends; the first is always made. Returns the best one. */
    static Pass work(PackingRun run, List<Pass> passes) {
        TimeSections timeline = new TimeSections(run.problem());
        GapFit fit = new GapFit(run.problem(), timeline);
        Pass best = passes.getFirst();
        for (Pass pass : passes) {
            long before = run.best().height();
            fit.pack(pass.order().of(run.problem(), timeline), pass.gap() == Gap.SMALLEST);
            run.offer(fit.offsets());
            run.spend(run.problem().count());
            best = run.best().height() < before ? pass : best;
            if (run.isDone()) {
                break;
            }
        }
        return best;
    }
}
