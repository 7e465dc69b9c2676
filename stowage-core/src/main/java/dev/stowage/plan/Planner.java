package dev.stowage.plan;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.plan.tight.TightPlanner;
import java.util.List;

/**
 * A way of giving every tensor of a graph a place. A planner is a pure function: it touches no memory, changes nothing,
 * and gives the same plan for the same request. It may be used by many threads at once.
 *
 * <table>
 * <caption>The planners there are</caption>
 * <tr><th>name</th><th>what it does</th></tr>
 * <tr><td>{@code ggml}</td><td>places every tensor exactly where ggml would; the default</td></tr>
 * <tr><td>{@code tight}</td><td>takes as little memory as it can find out, never more than {@code ggml}</td></tr>
 * </table>
 */
public interface Planner {

    /** The name it is asked for by. */
    String name();

    /** Gives every tensor that needs bytes a buffer, a chunk and an offset. */
    MemoryPlan plan(PlanRequest request);

    /** Which results this planner may give the place of an operand. */
    default InPlaceRules inPlace() {
        return InPlaceRules.ggml();
    }

    /** The planner that places every tensor exactly where ggml would. */
    static Planner ggml() {
        return GgmlPlanner.INSTANCE;
    }

    /** The planner that takes as little memory as it can find out, for kernels that keep to {@link InPlaceRules#kernels}. */
    static Planner tight() {
        return TightPlanner.STANDARD;
    }

    /** The planner that takes as little memory as it can find out with these options. */
    static Planner tight(TightOptions options) {
        return new TightPlanner(options);
    }

    /** The names of all planners. */
    static List<String> names() {
        return List.of(ggml().name(), tight().name());
    }

    /**
     * The planner of that name.
     *
     * @throws InvalidPlanException if there is none; the message has those there are
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
