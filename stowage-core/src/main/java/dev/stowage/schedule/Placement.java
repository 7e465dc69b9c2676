package dev.stowage.schedule;

import dev.stowage.schedule.cost.CostModel;
import java.util.Map;

/** Decides which device computes what: a way of turning a {@link ScheduleRequest} into an {@link Assignment}. */
public sealed interface Placement permits GgmlPlacement, CostPlacement {

    /** What ggml does: weights decide, their devices are carried on to the nodes around, and the rest follows. */
    static Placement ggml() {
        return GgmlPlacement.INSTANCE;
    }

    /** As {@link #cost(CostModel, Map)}, within the memory that the devices have free. */
    static Placement cost(CostModel model) {
        return cost(model, Map.of());
    }

    /**
     * What is predicted to take the least time, by these costs and within the memory of each device. It starts from what
     * ggml does, is never predicted to be slower, and leaves what the caller assigned and what has a place.
     *
     * @param limits by name of the device, the bytes that results may take there; what a device has free where none is
     *     stated
     */
    static Placement cost(CostModel model, Map<String, Long> limits) {
        return new CostPlacement(model, limits);
    }

    /** A short name, such as {@code ggml}. */
    String name();
}
