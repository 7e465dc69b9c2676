package dev.stowage.plan;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.plan.tight.TightPlanner;
import java.util.List;

/**
 * Gives every tensor of a graph a place. A planner is a pure, thread-safe function: the same request gives the same
 * plan.
 *
 * <table>
 * <caption>Planners</caption>
 * <tr><th>name</th><th>what it does</th></tr>
 * <tr><td>{@code ggml}</td><td>places every tensor exactly where ggml would; the default</td></tr>
 * <tr><td>{@code tight}</td><td>needs as little memory as it finds, never more than {@code ggml}</td></tr>
 * </table>
 */
public interface Planner {

    /** The name for {@link #named}. */
    String name();

    /** Gives every tensor that needs bytes a buffer, a chunk and an offset. */
    MemoryPlan plan(PlanRequest request);

    /** Which operands results may overwrite. */
    default InPlaceRules inPlace() {
        return InPlaceRules.ggml();
    }

    /** The planner that places every tensor exactly where ggml would. */
    static Planner ggml() {
        return GgmlPlanner.INSTANCE;
    }

    /** The planner for little memory, with {@link InPlaceRules#kernels}. */
    static Planner tight() {
        return TightPlanner.STANDARD;
    }

    static Planner tight(TightOptions options) {
        return new TightPlanner(options);
    }

    static List<String> names() {
        return List.of(ggml().name(), tight().name());
    }

    /**
     * The planner of that name.
     *
     * @throws InvalidPlanException if there is none; the message lists the names
     */
    static Planner named(String name) {
        return switch (name) {
            case GgmlPlanner.NAME -> ggml();
            case TightPlanner.NAME -> tight();
            default ->
                throw new InvalidPlanException(
                        "there is no planner '" + name + "'; there are " + String.join(", ", names()));
        };
    }
}
