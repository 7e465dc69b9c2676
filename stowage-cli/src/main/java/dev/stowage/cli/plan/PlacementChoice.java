package dev.stowage.cli.plan;

import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.schedule.Placement;
import java.util.List;
import java.util.Locale;

/** The placements that can be selected: which rule decides the device of each node. */
enum PlacementChoice {
    /** As ggml does. */
    GGML,
    /** What is predicted to take the least time. */
    COST;

    /** As it is written on the command line. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The placement for these devices. */
    Placement placement(List<DeviceBudget> machine) {
        return switch (this) {
            case GGML -> Placement.ggml();
            case COST -> Placement.cost(DeviceSpeeds.of(machine));
        };
    }
}
