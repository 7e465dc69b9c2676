package dev.stowage.plan;

import dev.stowage.graph.Graph;
import java.util.List;
import java.util.Locale;

/** A human-readable description of a plan. */
final class PlanText {

    private static final int LISTED_AT_PEAK = 12;

    private PlanText() {}

    static String explain(MemoryPlan plan) {
        Graph graph = plan.graph();
        PlanAnalysis analysis = plan.analysis();
        StringBuilder out = new StringBuilder();
        out.append(String.format(
                Locale.ROOT,
                "Plan by '%s' for %,d nodes and %,d leaves: %,d bytes, %.3f x the lower bound of %,d.%n",
                plan.planner(),
                graph.nodeCount(),
                graph.leafCount(),
                plan.size(),
                analysis.ratio(),
                analysis.lowerBound()));
        out.append(String.format(
                Locale.ROOT, "A place of its own for every tensor would take %,d bytes.%n", analysis.sumOfSizes()));
        out.append(reuse(plan));
        for (int buffer = 0; buffer < plan.bufferCount(); buffer++) {
            if (plan.request().firstWithSameType(buffer) == buffer) {
                buffer(out, plan, buffer);
            }
        }
        for (PlanViolation hazard : PlanValidator.hazards(plan)) {
            out.append("Note: ").append(hazard.message()).append(System.lineSeparator());
        }
        return out.toString();
    }

    private static String reuse(MemoryPlan plan) {
        int inPlace = 0;
        int views = 0;
        int fixed = 0;
        for (int id = 0; id < plan.graph().size(); id++) {
            inPlace += plan.inPlaceOf(id) == Graph.NO_ID ? 0 : 1;
            views += plan.graph().viewSource(id) == Graph.NO_ID ? 0 : 1;
            fixed += plan.request().isFixed(id) && plan.graph().viewSource(id) == Graph.NO_ID ? 1 : 0;
        }
        return String.format(
                Locale.ROOT,
                "%,d results take the place of an operand, %,d tensors are views, %,d have memory of their own.%n",
                inPlace,
                views,
                fixed);
    }

    private static void buffer(StringBuilder out, MemoryPlan plan, int buffer) {
        PlanAnalysis analysis = plan.analysis();
        out.append(String.format(
                Locale.ROOT,
                "%nBuffer %d (%s): %,d bytes in %d chunk%s, lower bound %,d.%n",
                buffer,
                plan.request().bufferType(buffer).name(),
                plan.bufferSize(buffer),
                plan.chunkCount(buffer),
                plan.chunkCount(buffer) == 1 ? "" : "s",
                analysis.lowerBound(buffer)));
        List<LiveTensor> live = analysis.liveAtPeak(buffer);
        if (live.isEmpty()) {
            return;
        }
        int node = analysis.peakNode(buffer);
        out.append(String.format(
                Locale.ROOT,
                "  The most is live %s:%n",
                node == Liveness.BEFORE
                        ? "before the first node"
                        : "at node " + node + " '" + plan.graph().label(node) + "' ("
                                + plan.graph().op(node) + ")"));
        list(out, live, LISTED_AT_PEAK);
    }

    /** The first tensors one per line, the others as a sum. */
    static void list(StringBuilder out, List<LiveTensor> live, int most) {
        for (LiveTensor tensor : live.subList(0, Math.min(most, live.size()))) {
            out.append(String.format(Locale.ROOT, "  %,16d  %s: %s%n", tensor.bytes(), tensor.name(), tensor.reason()));
        }
        if (live.size() > most) {
            long rest = live.stream().skip(most).mapToLong(LiveTensor::bytes).sum();
            out.append(String.format(Locale.ROOT, "  %,16d  in %,d smaller ones%n", rest, live.size() - most));
        }
    }
}
