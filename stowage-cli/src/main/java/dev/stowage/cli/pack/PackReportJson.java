package dev.stowage.cli.pack;

import dev.stowage.internal.json.JsonWriter;
import dev.stowage.packing.Budget;
import dev.stowage.packing.PackingResult;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Writes a {@link PackReport} as one JSON object, for programs. */
final class PackReportJson {
    private PackReportJson() {}

    /** Prints the object, with the files that were written. */
    static void print(PackReport report, List<Path> written, PrintWriter out) {
        JsonWriter json = JsonWriter.indented(out).beginObject();
        PackingResult result = report.result();
        json.name("file").value(report.source());
        json.name("buffers").value(report.problem().count());
        json.name("height_bytes").value(result.height());
        json.name("lower_bound_bytes").value(result.lowerBound());
        json.name("ratio").value(report.ratio());
        json.name("without_reuse_bytes").value(report.sumOfSizes());
        json.name("outcome").value(result.outcome().name().toLowerCase(Locale.ROOT));
        json.name("proven_optimal").value(result.isOptimal() && !report.isCheck());
        json.name("offsets_given").value(report.isCheck());
        json.name("peak_load_bytes").value(report.freeLowerBound());
        report.capacity().ifPresent(capacity -> {
            json.name("capacity").beginObject();
            json.name("bytes").value(capacity);
            json.name("fits").value(report.fits());
            json.name("proven_unfit").value(result.provesUnfit(capacity));
            json.name("missing_bytes").value(Math.max(0, result.height() - capacity));
            json.name("spare_bytes").value(Math.max(0, capacity - result.height()));
            json.endObject();
        });
        effort(report, json);
        json.name("written").beginArray();
        written.forEach(file -> json.value(file.toString()));
        json.endArray().endObject().finish();
        out.println();
    }

    /** Limits that there were not are null. */
    private static void effort(PackReport report, JsonWriter json) {
        Budget budget = report.budget();
        json.name("planner").value(report.packer());
        json.name("steps").value(report.result().steps());
        json.name("step_limit");
        if (budget.steps() == Long.MAX_VALUE) {
            json.nullValue();
        } else {
            json.value(budget.steps());
        }
        json.name("time_limit_ms");
        budget.time().ifPresentOrElse(limit -> json.value(limit.toNanos() / 1e6), json::nullValue);
        json.name("packing_ms").value(report.nanoseconds() / 1e6);
        json.name("interrupted").value(budget.isCancelled());
    }
}
