package dev.stowage.bench.ggml.plan;

import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.bench.ggml.graph.GgmlBufferType;
import dev.stowage.bench.ggml.graph.GgmlMeasuringType;
import dev.stowage.bench.ggml.graph.GgmlMirror;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.PlanValidator;
import dev.stowage.plan.PlanViolation;
import dev.stowage.plan.PlannedPlace;
import dev.stowage.plan.Planner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Asks our planner and ggml the same question, and lists where the answers differ. */
final class PlanComparison {

    private final PlanRequest request;
    private final Graph graph;
    private final MemoryPlan ours;
    private final MirrorPlan theirs;

    private PlanComparison(PlanRequest request, MemoryPlan ours, MirrorPlan theirs) {
        this.request = request;
        this.graph = request.graph();
        this.ours = ours;
        this.theirs = theirs;
    }

    /** The two answers to a question. */
    static PlanComparison of(GgmlLibrary library, LivePlanCase asked) {
        MemoryPlan ours = Planner.ggml().plan(asked.request());
        Map<BufferType, GgmlMeasuringType> types = new LinkedHashMap<>();
        try (GgmlMirror mirror = GgmlMirror.of(library, asked.graph())) {
            List<GgmlBufferType> listed = new ArrayList<>();
            for (BufferType type : asked.types()) {
                listed.add(types.computeIfAbsent(type, rules -> GgmlMeasuringType.like(library, rules)));
            }
            MirrorPlan theirs = MirrorPlan.of(mirror, listed, asked.nodeBuffers(), asked.leafBuffers());
            return new PlanComparison(asked.request(), ours, theirs);
        } finally {
            types.values().forEach(GgmlMeasuringType::close);
        }
    }

    /** The differences, one line each; none if both put every tensor into the same place. */
    List<String> differences() {
        List<String> differences = new ArrayList<>();
        for (int id = 0; id < graph.size(); id++) {
            String here = place(ours.placement(id));
            String there =
                    theirs.isPlaced(id) ? place(theirs.buffer(id), theirs.chunk(id), theirs.offset(id)) : "nowhere";
            // ggml places a view when it meets it after its source, which is sooner or later than a plan knows.
            boolean isUnmetView = graph.viewSource(id) != Graph.NO_ID && !theirs.isPlaced(id);
            if (!here.equals(there) && !isUnmetView) {
                differences.add(graph.label(id) + " is placed " + here + ", in ggml " + there);
            }
        }
        for (int buffer = 0; buffer < ours.bufferCount(); buffer++) {
            if (ours.bufferSize(buffer) != theirs.bufferSize(buffer)) {
                differences.add("buffer " + buffer + " has " + ours.bufferSize(buffer) + " bytes, in ggml "
                        + theirs.bufferSize(buffer));
            }
        }
        return differences;
    }

    private String place(Optional<PlannedPlace> placement) {
        return placement.map(p -> place(p.buffer(), p.chunk(), p.offset())).orElse("nowhere");
    }

    /** The same memory listed twice is one place. */
    private String place(int buffer, int chunk, long offset) {
        return "in buffer " + request.firstWithSameType(buffer) + " chunk " + chunk + " at " + offset;
    }

    /**
     * Whether ggml loses count in this graph, so that its plan may have two tensors share bytes although both are
     * needed: it takes views that no op makes off a count they were never part of, and lets a node that the caller
     * writes before the run take the place of an operand. Stowage does not follow it there.
     */
    boolean isBeyondGgml() {
        for (int id = 0; id < graph.size(); id++) {
            boolean isWrittenInPlace = graph.isNode(id) && graph.isInput(id) && graph.canWorkInPlace(id);
            if (isWrittenInPlace || readsViewWithoutOp(id)) {
                return true;
            }
        }
        return graph.hasViewsAsLeaves();
    }

    private boolean readsViewWithoutOp(int id) {
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID && graph.viewSource(source) != Graph.NO_ID && !graph.isComputed(source)) {
                return true;
            }
        }
        return false;
    }

    /**
     * What is wrong with our plan by itself; nothing, unless there is a mistake in the planner. An external tensor without
     * memory is given some when it is first read, as in ggml, although it would have to be there from the start: graphs
     * with one are not checked.
     */
    List<PlanViolation> violations() {
        for (int id = graph.nodeCount() + graph.leafCount(); id < graph.size(); id++) {
            if (ours.isPlanned(id)) {
                return List.of();
            }
        }
        return PlanValidator.check(ours);
    }
}
