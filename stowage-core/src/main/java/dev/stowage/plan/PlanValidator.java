package dev.stowage.plan;

import static dev.stowage.plan.PlanViolation.name;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import java.util.ArrayList;
import java.util.List;

/**
 * Validates a plan independently of any planner: derives live ranges from the graph ({@link Liveness}), checks every
 * place ({@link PlaceRules}), then replays the plan ({@link PlanReplay}). Two live tensors may share a byte only if one
 * is a view of the other, or is computed in its place by an op that allows it ({@link InPlaceClaims}).
 */
public final class PlanValidator {

    private PlanValidator() {}

    /** All violations of a plan; empty if it is valid. */
    public static List<PlanViolation> check(MemoryPlan plan) {
        return check(plan, InPlaceRules.kernels());
    }

    /** All violations of a plan for kernels with these in-place rules. */
    public static List<PlanViolation> check(MemoryPlan plan, InPlaceRules inPlace) {
        Liveness liveness = Liveness.of(plan.graph());
        List<PlanViolation> found = new ArrayList<>();
        PlaceRules places = new PlaceRules(plan, new InPlaceClaims(plan, liveness, inPlace), found);
        places.check();
        // Only valid places can be replayed.
        if (found.isEmpty()) {
            places.checkChunkLimits();
            new PlanReplay(plan, liveness, liveness::to)
                    .forEachConflict((writer, victim) -> found.add(overlap(plan, writer, victim)));
        }
        return List.copyOf(found);
    }

    /**
     * Hazards of a valid plan: outputs that are views of a non-output whose bytes are reused before the run ends. ggml
     * plans this way; marking the source of the view as an output keeps the bytes.
     */
    public static List<PlanViolation> hazards(MemoryPlan plan) {
        Liveness liveness = Liveness.of(plan.graph());
        List<PlanViolation> found = new ArrayList<>();
        new PlanReplay(plan, liveness, liveness::keptTo).forEachConflict((writer, victim) -> {
            if (liveness.keptTo(victim) > liveness.to(victim)) {
                found.add(overwrittenOutput(plan, writer, victim));
            }
        });
        return List.copyOf(found);
    }

    /**
     * Returns the plan if it is valid.
     *
     * @throws InvalidPlanException if it is not; the message lists the first violations
     */
    public static MemoryPlan requireValid(MemoryPlan plan) {
        List<PlanViolation> found = check(plan);
        if (!found.isEmpty()) {
            StringBuilder message =
                    new StringBuilder("the plan breaks the rules of plans " + found.size() + " times: ");
            for (PlanViolation violation : found.subList(0, Math.min(5, found.size()))) {
                message.append(System.lineSeparator()).append("  ").append(violation.message());
            }
            throw new InvalidPlanException(message.toString());
        }
        return plan;
    }

    private static PlanViolation overlap(MemoryPlan plan, int writer, int victim) {
        String what = "is written where " + name(plan.graph(), victim) + " is still needed, in "
                + sharedBytes(plan, writer, victim);
        return PlanViolation.of(PlanViolation.Kind.OVERLAP, plan.graph(), writer, what);
    }

    private static PlanViolation overwrittenOutput(MemoryPlan plan, int writer, int victim) {
        Graph graph = plan.graph();
        String message = "a view of " + name(graph, victim) + " is an output, but " + name(graph, writer)
                + " is written over its bytes, in " + sharedBytes(plan, writer, victim) + "; mark "
                + name(graph, victim) + " itself as an output to keep them";
        return new PlanViolation(PlanViolation.Kind.OUTPUT_OVERWRITTEN, writer, message);
    }

    private static String sharedBytes(MemoryPlan plan, int writer, int victim) {
        return "buffer " + plan.buffer(writer) + ", chunk " + plan.chunk(writer) + ": bytes " + plan.offset(writer)
                + " to " + (plan.offset(writer) + plan.size(writer)) + " and " + plan.offset(victim) + " to "
                + (plan.offset(victim) + plan.size(victim));
    }
}
