package dev.stowage.schedule;

import java.util.function.Supplier;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A JFR event for a scheduled graph. */
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

    static BoundSchedule recorded(Supplier<BoundSchedule> bind) {
        ScheduleEvent event = new ScheduleEvent();
        event.begin();
        BoundSchedule made = bind.get();
        Schedule schedule = made.schedule();
        event.nodes = schedule.graph().nodeCount();
        event.splits = schedule.splitCount();
        event.copies = schedule.inputCopyCount();
        event.bytes = schedule.inputCopyBytes();
        event.commit();
        return made;
    }
}
