package dev.stowage.schedule;

import java.util.function.Supplier;
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

    @Label("SplitCopies per run")
    int copies;

    @Label("Bytes copied per run")
    @DataAmount
    long bytes;

    static BoundSchedule recorded(Supplier<BoundSchedule> bind) {
        ScheduleEvent event = new ScheduleEvent();
        event.begin();
        BoundSchedule made = bind.get();
        Schedule schedule = made.schedule();
        event.nodes = schedule.graph().nodeCount();
        event.splits = schedule.splitCount();
        event.copies = schedule.crossingCount();
        event.bytes = schedule.crossingBytes();
        event.commit();
        return made;
    }
}
