package dev.stowage.packing.search;

import java.util.List;

/**
 * Improves a solution part by part until it is proven optimal or the budget ends. Parts that are not higher than the
 * goal are left unchanged.
 */
final class ExactPhase {

    private ExactPhase() {}

    static void work(PackingRun run) {
        List<SubproblemSearch> parts = Subproblem.of(run.problem()).stream()
                .map(part -> new SubproblemSearch(part, run.best()))
                .toList();
        takeProofs(run, parts);
        while (!run.isDone()) {
            for (SubproblemSearch part : parts) {
                if (!run.isDone() && part.isOpen(run.goal(), run)) {
                    part.approach(run.goal(), run.hasCapacity(), run);
                    takeProofs(run, parts);
                    takeSolution(run, parts);
                }
            }
        }
    }

    private static void takeSolution(PackingRun run, List<SubproblemSearch> parts) {
        long height = parts.stream().mapToLong(SubproblemSearch::height).max().orElse(0);
        if (height < run.best().height()) {
            long[] offsets = run.best().offsets();
            parts.forEach(part -> part.copyTo(offsets));
            run.offer(offsets);
        }
    }

    private static void takeProofs(PackingRun run, List<SubproblemSearch> parts) {
        for (SubproblemSearch part : parts) {
            run.raiseLowerBound(part.lowerBound());
        }
    }
}
