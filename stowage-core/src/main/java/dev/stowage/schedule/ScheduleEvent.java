package dev.stowage.schedule;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Recorded when a graph has been spread over devices. */
@Name("dev.stowage.Schedule")
@Label("Schedule made")
@Category("Stowage")
@StackTrace(false)
final class ScheduleEvent extends Event {

    @Label("Nodes")
    int nodes;

    @Label("Splits")
    int splits;

    @Label("Copies per run")
    int copies;

    @Label("Bytes copied per run")
    @DataAmount
    long bytes;

    void commit(Schedule schedule) {
        nodes = schedule.graph().nodeCount();
        splits = schedule.splitCount();
        copies = schedule.crossingCount();
        bytes = schedule.crossingBytes();
        commit();
    }
}
