package dev.stowage.bench.ggml;

import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.Placement;
import dev.stowage.plan.Planner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Asks our planner and ggml the same question, and lists where the answers differ. */
final class PlanComparison {

    private final PlanCase asked;
    private final Graph graph;
    private final MemoryPlan ours;
    private final MirrorPlan theirs;
    private final List<String> differences = new ArrayList<>();

    private PlanComparison(PlanCase asked, MemoryPlan ours, MirrorPlan theirs) {
        this.asked = asked;
        this.graph = asked.graph();
        this.ours = ours;
        this.theirs = theirs;
    }

    /** The differences, one line each; none if both put every tensor into the same place. */
    static List<String> differences(GgmlLibrary library, PlanCase asked) {
        MemoryPlan ours = Planner.ggml().plan(asked.request());
        Map<BufferType, GgmlMeasuringType> types = new LinkedHashMap<>();
        try (GgmlMirror mirror = GgmlMirror.of(library, asked.graph())) {
            List<GgmlBufferType> listed = new ArrayList<>();
            for (BufferType type : asked.types()) {
                listed.add(types.computeIfAbsent(type, rules -> GgmlMeasuringType.like(library, rules)));
            }
            MirrorPlan theirs = MirrorPlan.of(mirror, listed, asked.nodeBuffers(), asked.leafBuffers());
            return new PlanComparison(asked, ours, theirs).compare();
        } finally {
            types.values().forEach(GgmlMeasuringType::close);
        }
    }

    private List<String> compare() {
        for (int id = 0; id < graph.size(); id++) {
            String here = place(ours.placement(id));
            String there = theirs.isPlaced(id)
                    ? place(theirs.buffer(id), theirs.chunk(id), theirs.offset(id))
                    : "nowhere";
            // ggml places a view when it meets it behind its source, which is sooner or later than a plan knows.
            boolean isUnmetView = graph.viewSource(id) != Graph.NO_ID && !theirs.isPlaced(id);
            if (!here.equals(there) && !isUnmetView) {
                differences.add(graph.label(id) + " lies " + here + ", in ggml " + there);
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

    private String place(Optional<Placement> placement) {
        return placement.map(p -> place(p.buffer(), p.chunk(), p.offset())).orElse("nowhere");
    }

    /** The same memory listed twice is one place. */
    private String place(int buffer, int chunk, long offset) {
        return "in buffer " + asked.request().firstWithSameType(buffer) + " chunk " + chunk + " at " + offset;
    }
}
