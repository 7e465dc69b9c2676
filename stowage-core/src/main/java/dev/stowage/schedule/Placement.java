package dev.stowage.schedule;

import dev.stowage.schedule.cost.CostModel;
import java.util.Map;

/** Decides the device of every node: turns a {@link ScheduleRequest} into an {@link Assignment}. */
public sealed interface Placement permits GgmlPlacement, CostPlacement {

    /** ggml's passes: nodes run where their weights are, and other nodes join their neighbours. */
    static Placement ggml() {
        return GgmlPlacement.INSTANCE;
    }

    /** As {@link #cost(CostModel, Map)}, within the free memory of the devices. */
    static Placement cost(CostModel model) {
        return cost(model, Map.of());
    }

    /**
     * The least predicted time within the memory of each device. Starts from ggml's placement and is never predicted to
     * be slower; tensors that the caller assigned or that have memory stay.
     *
     * @param limits by device name, the bytes for results; by default the free memory of the device
     */
    static Placement cost(CostModel model, Map<String, Long> limits) {
        return new CostPlacement(model, limits);
    }

    /** A short name, such as {@code ggml}. */
    String name();
}
