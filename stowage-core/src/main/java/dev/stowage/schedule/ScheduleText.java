package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.pass.Splitting;
import java.util.Locale;
import java.util.stream.Collectors;

/** A human-readable description of a schedule. */
final class ScheduleText {

    private final Schedule schedule;
    private final Graph graph;
    private final StringBuilder text = new StringBuilder();

    private ScheduleText(Schedule schedule) {
        this.schedule = schedule;
        this.graph = schedule.graph();
    }

    static String explain(Schedule schedule) {
        return new ScheduleText(schedule).explain();
    }

    private String explain() {
        DeviceSet devices = schedule.devices();
        line(graph.nodeCount() + " nodes over " + devices.count() + " devices: " + schedule.splitCount() + " splits, "
                + schedule.inputCopyCount() + " tensors (" + size(schedule.inputCopyBytes())
                + ") copied between devices per run");
        schedule.gain().ifPresent(gain -> line(gain.toString()));
        for (int device = 0; device < devices.count(); device++) {
            int first = devices.firstWithSameMemory(device);
            line("  " + devices.name(device) + ": "
                    + (first < device
                            ? "works in the memory of " + devices.name(first)
                            : size(schedule.computeSize(device)) + " of "
                                    + devices.bufferType(device).name() + " to compute in"));
        }
        for (Split split : schedule.splits()) {
            explain(split);
        }
        return text.toString();
    }

    private void explain(Split split) {
        line("");
        line("split " + split.index() + " on " + schedule.devices().name(split.device()) + ", " + split.nodeCount()
                + " nodes");
        line("  actions: " + actions(split));
        for (SplitInput input : split.inputs()) {
            int copies = input.copies().size();
            line("  copies '" + graph.label(graph.idOf(input.source())) + "' from "
                    + schedule.devices().name(input.from()) + ", " + size(input.bytes())
                    + (copies > 1 ? ", " + copies + " copies, one per pipeline slot" : ""));
        }
        for (int node = split.firstNode(); node < split.endNode(); node++) {
            int device = schedule.assignment().device(node);
            String elsewhere =
                    device == split.device() ? "" : "(" + schedule.devices().name(device) + ") ";
            line(String.format(Locale.ROOT, "  %-12s %-28s %s", graph.op(node), graph.label(node), elsewhere)
                    + reason(node));
        }
    }

    private String actions(Split split) {
        Splitting splitting = schedule.draft().splitting();
        return schedule.program().actions(split.index()).stream()
                .map(action -> action.kind()
                        + (action.input() == ScheduleProgram.NO_INPUT
                                ? " " + schedule.devices().name(action.device())
                                : " '"
                                        + graph.label(
                                                splitting.input(action.input()).source()) + "'"))
                .collect(Collectors.joining(", "));
    }

    private String reason(int id) {
        Reason reason = schedule.assignment().reason(id);
        return reason.rule().pass() + ": " + reason.rule().text()
                + reason.because()
                        .map(tensor -> ", '" + graph.label(graph.idOf(tensor)) + "'")
                        .orElse("");
    }

    private void line(String line) {
        text.append(line.stripTrailing()).append('\n');
    }

    private static String size(long bytes) {
        if (bytes < 1024) {
            return bytes + " bytes";
        }
        double kibibytes = bytes / 1024.0;
        return kibibytes < 1024
                ? String.format(Locale.ROOT, "%.1f KiB", kibibytes)
                : String.format(Locale.ROOT, "%.1f MiB", kibibytes / 1024);
    }
}
