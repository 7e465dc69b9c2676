package dev.stowage.cli.plan;

import dev.stowage.graph.Graph;
import dev.stowage.internal.json.JsonWriter;
import dev.stowage.memory.BufferType;
import dev.stowage.plan.BudgetFit;
import dev.stowage.plan.LiveTensor;
import dev.stowage.plan.Liveness;
import dev.stowage.plan.PlanAnalysis;
import dev.stowage.plan.order.Reordering;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.io.PrintWriter;

/** Writes a {@link PlanReport} as one JSON object, for programs; all sizes are exact bytes. */
final class PlanReportJson {
    private final PlanReport report;
    private final JsonWriter json;

    private PlanReportJson(PlanReport report, JsonWriter json) {
        this.report = report;
        this.json = json;
    }

    /** Prints the object, with the explanation of the plan in it if that is wanted. */
    static void print(PlanReport report, boolean explained, PrintWriter out) {
        JsonWriter json = JsonWriter.indented(out);
        PlanReportJson writer = new PlanReportJson(report, json);
        json.beginObject();
        WorkloadJson.write(report.run().how(), json);
        writer.sizes();
        writer.peak();
        writer.reordering();
        writer.budget();
        json.name("planner").value(report.plan().planner());
        json.name("planning_ms").value(report.nanoseconds() / 1e6);
        if (explained) {
            json.name("explanation").value(report.plan().explain());
        }
        json.endObject().finish();
        out.println();
    }

    private void sizes() {
        Graph graph = report.plan().graph();
        PlanAnalysis analysis = report.plan().analysis();
        BufferType type = report.plan().request().bufferType(0);
        json.name("nodes").value(graph.nodeCount());
        json.name("leaves").value(graph.leafCount());
        json.name("alignment").value(type.alignment());
        json.name("weights_bytes").value(report.model().weightBytes());
        json.name("kv_cache_bytes").value(report.model().cacheBytes());
        json.name("compute_bytes").value(report.plan().size());
        json.name("lower_bound_bytes").value(analysis.lowerBound());
        json.name("ratio").value(analysis.ratio());
        json.name("without_reuse_bytes").value(analysis.sumOfSizes());
        json.name("saved_bytes").value(report.savedBytes());
        json.name("total_bytes").value(report.totalBytes());
    }

    private void peak() {
        Graph graph = report.plan().graph();
        int node = report.plan().analysis().peakNode(0);
        json.name("peak").beginObject();
        if (node == Liveness.BEFORE) {
            json.name("node").nullValue();
        } else {
            json.name("node").value(node);
            json.name("name").value(graph.label(node));
            json.name("op").value(graph.op(node).toString());
        }
        json.name("live_tensors").value(report.liveAtPeak().size());
        json.name("largest").beginArray();
        report.largestAtPeak().forEach(this::live);
        json.endArray().endObject();
    }

    private void reordering() {
        Reordering reordering = report.reordering();
        if (reordering != null) {
            json.name("reordering").beginObject();
            json.name("moved_nodes").value(reordering.movedNodes());
            json.name("bytes_before").value(reordering.sizeBefore());
            json.name("saved_bytes").value(reordering.saved());
            json.endObject();
        }
    }

    private void budget() {
        BudgetFit fit = report.fit();
        if (fit != null) {
            json.name("budget").beginObject();
            json.name("bytes").value(fit.budget());
            json.name("fits").value(fit.fits());
            json.name("missing_bytes").value(fit.missing());
            json.name("spare_bytes").value(fit.spare());
            json.endObject();
        }
    }

    private void live(LiveTensor live) {
        Tensor tensor = report.plan().graph().tensor(live.id());
        json.beginObject();
        json.name("name").value(live.name());
        json.name("op").value(tensor.op().toString());
        json.name("type").value(tensor.type().label());
        json.name("shape").beginArray();
        for (int i = 0; i < Shape.RANK; i++) {
            json.value(tensor.dim(i));
        }
        json.endArray();
        json.name("bytes").value(live.bytes());
        json.name("from").value(live.from());
        json.name("to").value(live.to());
        json.name("reason").value(live.reason());
        json.endObject();
    }
}
