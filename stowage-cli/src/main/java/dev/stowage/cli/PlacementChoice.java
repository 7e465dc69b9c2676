package dev.stowage.cli;

import dev.stowage.schedule.Placement;
import java.util.Locale;

/** Who can be asked to decide which device computes what. */
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
    Placement placement(DeviceList machine) {
        return switch (this) {
            case GGML -> Placement.ggml();
            case COST -> Placement.cost(DeviceSpeeds.of(machine));
        };
    }
}
