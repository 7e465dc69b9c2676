package dev.stowage.plan;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Recorded when a graph has been planned. */
@Name("dev.stowage.Plan")
@Label("Memory plan made")
@Category("Stowage")
@StackTrace(false)
final class PlanEvent extends Event {

    @Label("Planner")
    String planner = "";

    @Label("Nodes")
    int nodes;

    @Label("Size")
    @DataAmount
    long size;

    static MemoryPlan recorded(Planner planner, PlanRequest request) {
        PlanEvent event = new PlanEvent();
        event.begin();
        MemoryPlan plan = planner.plan(request);
        event.planner = plan.planner();
        event.nodes = plan.graph().nodeCount();
        event.size = plan.size();
        event.commit();
        return plan;
    }
}
