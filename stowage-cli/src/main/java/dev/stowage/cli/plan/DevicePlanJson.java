package dev.stowage.cli.plan;

import dev.stowage.graph.Graph;
import dev.stowage.internal.json.JsonWriter;
import dev.stowage.llm.fit.DeviceLoad;
import dev.stowage.llm.fit.FitAdvice;
import dev.stowage.models.LayerPlacement;
import dev.stowage.schedule.PipelineCopies;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.Split;
import dev.stowage.schedule.SplitInput;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Writes a {@link DevicePlanReport} as one JSON object, for programs; all sizes are exact bytes. */
final class DevicePlanJson {
    private final DevicePlanReport report;
    private final JsonWriter json;

    private DevicePlanJson(DevicePlanReport report, JsonWriter json) {
        this.report = report;
        this.json = json;
    }

    /** Prints the object, with the explanation of the schedule in it if that is wanted. */
    static void print(DevicePlanReport report, boolean explained, PrintWriter out) {
        JsonWriter json = JsonWriter.indented(out);
        DevicePlanJson writer = new DevicePlanJson(report, json);
        json.beginObject();
        WorkloadJson.write(report.run().how(), json);
        writer.schedule();
        writer.devices();
        writer.splits();
        writer.verdict();
        json.name("planner").value(report.schedule().plan().planner());
        json.name("planning_ms").value(report.nanoseconds() / 1e6);
        if (explained) {
            json.name("explanation").value(report.schedule().explain());
        }
        json.endObject().finish();
        out.println();
    }

    private void schedule() {
        ScheduleOptions options = report.planner().options();
        Schedule schedule = report.schedule();
        json.name("placement").value(options.placement().name());
        json.name("pipeline").value(options.copies());
        json.name("lean_pipeline").value(options.pipelineCopies() == PipelineCopies.WHERE_NEEDED);
        json.name("offload").value(options.offloadsOps());
        json.name("filled_in_order").value(report.planner().layersOn().isEmpty());
        json.name("nodes").value(schedule.graph().nodeCount());
        json.name("leaves").value(schedule.graph().leafCount());
        json.name("copied_tensors").value(schedule.inputCopyCount());
        json.name("copied_bytes").value(schedule.inputCopyBytes());
        schedule.gain().ifPresent(gain -> {
            json.name("predicted_ns").value(gain.nanos());
            json.name("predicted_ns_by_ggml").value(gain.ggmlNanos());
        });
    }

    private void devices() {
        json.name("devices").beginArray();
        List<DeviceLoad> loads = report.plan().loads();
        for (int device = 0; device < loads.size(); device++) {
            device(device, loads.get(device));
        }
        json.endArray();
    }

    private void device(int device, DeviceLoad load) {
        LayerPlacement layers = report.plan().layers();
        json.beginObject();
        json.name("name").value(load.name());
        json.name("kind").value(load.budget().device().type().name().toLowerCase(Locale.ROOT));
        json.name("layers").beginArray();
        for (int layer : layers.layersOf(device)) {
            json.value(layer);
        }
        json.endArray();
        json.name("output").value(device == layers.outputDevice());
        json.name("weights_bytes").value(load.weights());
        json.name("kv_cache_bytes").value(load.cache());
        json.name("compute_bytes").value(load.compute());
        json.name("total_bytes").value(load.total());
        if (load.budget().isLimited()) {
            json.name("memory_bytes").value(load.budget().bytes());
            json.name("free_bytes").value(load.free());
        } else {
            json.name("memory_bytes").nullValue();
            json.name("free_bytes").nullValue();
        }
        json.name("missing_bytes").value(load.missing());
        json.endObject();
    }

    private void splits() {
        json.name("splits").beginArray();
        for (Split split : report.schedule().splits()) {
            json.beginObject();
            json.name("device").value(name(split.device()));
            json.name("first_node").value(split.firstNode());
            json.name("nodes").value(split.nodeCount());
            json.name("copies").beginArray();
            split.inputs().forEach(this::copy);
            json.endArray().endObject();
        }
        json.endArray();
    }

    private void copy(SplitInput input) {
        Graph graph = report.schedule().graph();
        json.beginObject();
        json.name("name").value(graph.label(graph.idOf(input.source())));
        json.name("from").value(name(input.from()));
        json.name("bytes").value(input.bytes());
        json.name("places").value(input.copies().size());
        json.endObject();
    }

    private void verdict() {
        json.name("fits").value(report.fits());
        json.name("missing_bytes").value(report.plan().missing());
        if (report.planner().devices().size() > 1) {
            report.plan()
                    .layers()
                    .layersOn()
                    .ifPresent(counts -> json.name("layers_on").value(counts));
        }
        report.freeNow().ifPresent(free -> {
            json.name("process_overhead_bytes").value(report.overhead());
            json.name("left_in_file_bytes").value(report.leftInFile());
            json.name("needed_here_bytes").value(report.neededHere());
            json.name("free_now_bytes").value(free);
            json.name("missing_now_bytes").value(report.missingNow());
        });
        report.largestContext().ifPresent(context -> {
            json.name("largest_context").value(context.withAsManyOff());
            json.name("largest_context_with_any_layers").value(context.withAnyLayers());
        });
        json.name("advice").beginArray();
        for (FitAdvice advice : report.advice()) {
            json.beginObject();
            json.name("change").value(FitChangeText.of(advice.change(), report.run()));
            json.name("fits").value(advice.fits());
            json.name("missing_bytes").value(advice.missing());
            json.endObject();
        }
        json.endArray();
    }

    private String name(int device) {
        return report.plan().loads().get(device).name();
    }
}
