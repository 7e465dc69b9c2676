package dev.stowage.picture;

import dev.stowage.graph.Graph;
import dev.stowage.plan.MemoryPlan;

/** Texts shared by both pictures of a plan. */
final class PlanPictureText {

    private PlanPictureText() {}

    /** The category of a planned tensor, which decides its colour. */
    static String kind(MemoryPlan plan, int id) {
        Graph graph = plan.graph();
        if (graph.isOutput(id)) {
            return "output";
        }
        if (!graph.isNode(id) || graph.isInput(id)) {
            return "input";
        }
        return plan.inPlaceOf(id) == Graph.NO_ID ? "computed" : "inPlace";
    }
}
