package dev.stowage.cli.serve;

import dev.stowage.cli.text.ByteSize;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.engine.Engine;
import dev.stowage.llm.fit.DeviceLoad;
import dev.stowage.llm.fit.DevicePlan;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Prints what memory a server takes, to the byte: first what is planned, and once it is taken whether it is the same. */
final class PlanReport {

    private final PrintWriter out;
    private @Nullable DevicePlan plan;

    PlanReport(PrintWriter out) {
        this.out = out;
    }

    DevicePlan plan() {
        return Objects.requireNonNull(plan);
    }

    void print(String name, DevicePlan found, ModelOptions options) {
        plan = found;
        // Without a cache there is nothing that slots share.
        boolean keeps = found.loads().stream().anyMatch(load -> load.cache() > 0);
        out.println(name + ": " + options.sequences() + " slots"
                + (keeps ? ", " + options.context() + " tokens of context for all" : ""));
        for (DeviceLoad load : found.loads()) {
            out.println("planned on " + load.name() + ": weights " + bytes(load.weights()) + ", KV cache "
                    + bytes(load.cache()) + ", compute " + bytes(load.compute()) + "; all " + bytes(load.total()) + " ("
                    + ByteSize.format(load.total()) + ")");
        }
        out.flush();
    }

    void printTaken(LanguageModel model, Engine engine) {
        boolean same = true;
        for (int device = 0; device < plan().loads().size(); device++) {
            DeviceLoad load = plan().loads().get(device);
            long taken = model.weightBytes(device) + engine.cacheBytes(device) + engine.computeBytes(device);
            if (taken != load.total()) {
                out.println("taken on " + load.name() + ": " + bytes(taken));
                same = false;
            }
        }
        if (same) {
            out.println("taken as planned");
        }
        out.flush();
    }

    private static String bytes(long count) {
        return String.format(Locale.ROOT, "%,d bytes", count);
    }
}
