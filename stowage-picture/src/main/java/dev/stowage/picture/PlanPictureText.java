package dev.stowage.picture;

import dev.stowage.graph.Graph;
import dev.stowage.plan.MemoryPlan;

/** The words that both pictures of a plan use for what it holds. */
final class PlanPictureText {

    private PlanPictureText() {}

    /** What a planned tensor is to a reader of the picture; it decides the colour. */
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
