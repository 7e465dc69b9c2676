package dev.stowage.plan;

/**
 * A way of giving every tensor of a graph a place. A planner is a pure function: it touches no memory, changes nothing,
 * and gives the same plan for the same request. It may be used by many threads at once.
 */
public interface Planner {

    /** The name it is asked for by. */
    String name();

    /** Gives every tensor that needs bytes a buffer, a chunk and an offset. */
    MemoryPlan plan(PlanRequest request);

    /** The planner that places every tensor exactly where ggml would. */
    static Planner ggml() {
        return GgmlPlanner.INSTANCE;
    }
}
