package dev.stowage.cli.plan;

import dev.stowage.cli.text.ByteSize;
import dev.stowage.cli.text.TextTable;
import dev.stowage.llm.fit.DecoderWorkload;
import dev.stowage.llm.fit.DeviceLoad;
import dev.stowage.models.LayerPlacement;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** Prints what each device holds, a row for each and one for all. */
final class DeviceTable {
    private final DevicePlanReport report;

    private DeviceTable(DevicePlanReport report) {
        this.report = report;
    }

    static void print(DevicePlanReport report, PrintWriter out) {
        TextTable.aligned("llrrrrrr").rows(rows(report)).printIndented(out);
    }

    /** The rows as text, the names of the columns first. */
    static List<List<String>> rows(DevicePlanReport report) {
        DeviceTable table = new DeviceTable(report);
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("device", "holds", "weights", "KV cache", "compute", "total", "memory", "left"));
        for (int device = 0; device < report.plan().loads().size(); device++) {
            rows.add(table.row(device));
        }
        rows.add(table.sums());
        return rows;
    }

    private List<String> row(int device) {
        DeviceLoad load = report.plan().loads().get(device);
        return List.of(
                load.name(),
                holdings(device),
                ByteSize.format(load.weights()),
                ByteSize.format(load.cache()),
                ByteSize.format(load.compute()),
                ByteSize.format(load.total()),
                load.budget().isLimited() ? ByteSize.format(load.budget().bytes()) : "no limit",
                free(load));
    }

    private static String free(DeviceLoad load) {
        if (!load.budget().isLimited()) {
            return "";
        }
        return load.fits() ? ByteSize.format(load.free()) : "-" + ByteSize.format(load.missing());
    }

    private List<String> sums() {
        return List.of(
                "all",
                "",
                sum(DeviceLoad::weights),
                sum(DeviceLoad::cache),
                sum(DeviceLoad::compute),
                sum(DeviceLoad::total),
                "",
                "");
    }

    private String sum(ToLongFunction<DeviceLoad> bytes) {
        return ByteSize.format(report.plan().loads().stream().mapToLong(bytes).sum());
    }

    private String holdings(int device) {
        LayerPlacement layers = report.plan().layers();
        List<String> holdings = new ArrayList<>();
        if (device == layers.deviceOf(LayerPlacement.INPUT)) {
            holdings.add(report.run().how() instanceof DecoderWorkload ? "embeddings" : "images");
        }
        int[] own = layers.layersOf(device);
        if (own.length == 1) {
            holdings.add("layer " + own[0]);
        } else if (own.length > 1) {
            holdings.add("layers " + own[0] + "-" + own[own.length - 1]);
        }
        if (device == layers.outputDevice()) {
            holdings.add("output");
        }
        return holdings.isEmpty() ? "nothing" : String.join(", ", holdings);
    }
}
