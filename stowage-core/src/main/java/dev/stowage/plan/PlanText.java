package dev.stowage.plan;

import dev.stowage.graph.Graph;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;

/** A human-readable description of a plan. */
final class PlanText {

    private static final int LISTED_AT_PEAK = 12;

    private PlanText() {}

    static String explain(MemoryPlan plan) {
        Graph graph = plan.graph();
        PlanAnalysis analysis = plan.analysis();
        Formatter out = new Formatter(Locale.ROOT);
        out.format("Plan by '%s' for %,d nodes and %,d leaves: ", plan.planner(), graph.nodeCount(), graph.leafCount());
        out.format("%,d bytes, %.3f x the lower bound of %,d.%n", plan.size(), analysis.ratio(), analysis.lowerBound());
        out.format("A place of its own for every tensor would take %,d bytes.%n", analysis.sumOfSizes());
        reuse(out, plan);
        for (int buffer = 0; buffer < plan.bufferCount(); buffer++) {
            if (plan.request().firstWithSameType(buffer) == buffer) {
                buffer(out, plan, buffer);
            }
        }
        for (PlanViolation hazard : PlanValidator.hazards(plan)) {
            out.format("Note: %s%n", hazard.message());
        }
        return out.toString();
    }

    private static void reuse(Formatter out, MemoryPlan plan) {
        int inPlace = 0;
        int views = 0;
        int fixed = 0;
        for (int id = 0; id < plan.graph().size(); id++) {
            inPlace += plan.inPlaceOf(id) == Graph.NO_ID ? 0 : 1;
            views += plan.graph().viewSource(id) == Graph.NO_ID ? 0 : 1;
            fixed += plan.request().isFixed(id) && plan.graph().viewSource(id) == Graph.NO_ID ? 1 : 0;
        }
        out.format("%,d results take the place of an operand, %,d tensors are views, ", inPlace, views);
        out.format("%,d have memory of their own.%n", fixed);
    }

    private static void buffer(Formatter out, MemoryPlan plan, int buffer) {
        PlanAnalysis analysis = plan.analysis();
        int chunks = plan.chunkCount(buffer);
        out.format(
                "%nBuffer %d (%s): ", buffer, plan.request().bufferType(buffer).name());
        out.format("%,d bytes in %d chunk%s, ", plan.bufferSize(buffer), chunks, chunks == 1 ? "" : "s");
        out.format("lower bound %,d.%n", analysis.lowerBound(buffer));
        List<LiveTensor> live = analysis.liveAtPeak(buffer);
        if (!live.isEmpty()) {
            out.format("  The most is live %s:%n", time(plan.graph(), analysis.peakNode(buffer)));
            list(out, live, LISTED_AT_PEAK);
        }
    }

    private static String time(Graph graph, int node) {
        return node == Liveness.BEFORE
                ? "before the first node"
                : "at node " + node + " '" + graph.label(node) + "' (" + graph.op(node) + ")";
    }

    /** The first tensors one per line, the others as a sum. */
    static void list(Formatter out, List<LiveTensor> live, int most) {
        for (LiveTensor tensor : live.subList(0, Math.min(most, live.size()))) {
            out.format("  %,16d  %s: %s%n", tensor.bytes(), tensor.name(), tensor.reason());
        }
        if (live.size() > most) {
            long rest = live.stream().skip(most).mapToLong(LiveTensor::bytes).sum();
            out.format("  %,16d  in %,d smaller ones%n", rest, live.size() - most);
        }
    }
}
