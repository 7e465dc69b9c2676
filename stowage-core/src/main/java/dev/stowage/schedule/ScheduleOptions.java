package dev.stowage.schedule;

import dev.stowage.device.Capability;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.plan.Planner;
import java.util.Objects;

/**
 * Options of a schedule. {@link #defaults()} are ggml's defaults.
 *
 * @param copies how many runs can be in flight at once: 1 for no pipeline
 * @param pipelineCopies which input copies exist once per run in flight
 * @param offloadsOps whether a device may run a node whose weights are in host memory, if it offloads such ops
 * @param placement decides the device of every node
 * @param planner plans the memory of each device
 * @param eventsAlways whether devices with events use them without a pipeline too, so that the host does not wait
 *     between two such devices; ggml uses events in pipelines only
 */
public record ScheduleOptions(
        int copies,
        PipelineCopies pipelineCopies,
        boolean offloadsOps,
        Placement placement,
        Planner planner,
        boolean eventsAlways) {

    /** ggml's number of runs in flight. */
    public static final int DEFAULT_PIPELINE = 4;

    private static final ScheduleOptions DEFAULTS =
            new ScheduleOptions(1, PipelineCopies.EVERYWHERE, false, Placement.ggml(), Planner.ggml(), false);

    public ScheduleOptions {
        if (copies < 1) {
            throw new InvalidPlanException("a pipeline of " + copies + " copies cannot run: 1 runs without a pipeline, "
                    + DEFAULT_PIPELINE + " is usual");
        }
        Objects.requireNonNull(pipelineCopies);
        Objects.requireNonNull(placement);
        Objects.requireNonNull(planner);
    }

    /** No pipeline, no offloading, ggml's placement and ggml's planner. */
    public static ScheduleOptions defaults() {
        return DEFAULTS;
    }

    public ScheduleOptions withPipeline() {
        return withPipeline(DEFAULT_PIPELINE);
    }

    public ScheduleOptions withPipeline(int newCopies) {
        return new ScheduleOptions(newCopies, pipelineCopies, offloadsOps, placement, planner, eventsAlways);
    }

    public ScheduleOptions withPipelineCopies(PipelineCopies newPipelineCopies) {
        return new ScheduleOptions(copies, newPipelineCopies, offloadsOps, placement, planner, eventsAlways);
    }

    public ScheduleOptions withOffloadedOps(boolean newOffloadsOps) {
        return new ScheduleOptions(copies, pipelineCopies, newOffloadsOps, placement, planner, eventsAlways);
    }

    public ScheduleOptions withPlacement(Placement newPlacement) {
        return new ScheduleOptions(copies, pipelineCopies, offloadsOps, newPlacement, planner, eventsAlways);
    }

    public ScheduleOptions withPlanner(Planner newPlanner) {
        return new ScheduleOptions(copies, pipelineCopies, offloadsOps, placement, newPlanner, eventsAlways);
    }

    /** With events on all devices that have them, with or without a pipeline. */
    public ScheduleOptions withEvents() {
        return new ScheduleOptions(copies, pipelineCopies, offloadsOps, placement, planner, true);
    }

    /** By device, whether its work is ordered by events. */
    boolean[] devicesWithEvents(DeviceSet devices) {
        boolean[] hasEvents = new boolean[devices.count()];
        for (int device = 0; device < hasEvents.length; device++) {
            hasEvents[device] = (copies > 1 || eventsAlways)
                    && devices.device(device).capabilities().contains(Capability.EVENTS);
        }
        return hasEvents;
    }
}
