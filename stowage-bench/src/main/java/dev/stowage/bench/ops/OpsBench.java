package dev.stowage.bench.ops;

import dev.stowage.bench.ggml.GgmlFolder;
import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.cli.bench.OpsBenchmark;
import dev.stowage.cli.bench.OpsBenchmarkRequest;
import dev.stowage.cli.text.OutputFiles;
import dev.stowage.cli.text.Progress;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.error.DeviceException;
import dev.stowage.error.MalformedDataException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What {@code stowage bench ops} runs: selects the device, the ggml and the cases, measures, and reports. */
public final class OpsBench implements OpsBenchmark {

    private static final String USUAL_DEVICE = "cpu";
    private static final String LAST_RESORT = "reference";

    /** For {@link java.util.ServiceLoader}. */
    public OpsBench() {}

    @Override
    public boolean run(OpsBenchmarkRequest request, PrintWriter out, PrintWriter err) {
        if (request.measuresDeviceAlone()) {
            Device device = device(request.device(), DeviceRegistry.load(), err);
            PrintWriter table = request.printsJson() ? err : out;
            writeJson(request, new DeviceOpsBench(device, request, table, err).run(), out);
            return true;
        }
        return compare(request, out, err);
    }

    private static boolean compare(OpsBenchmarkRequest request, PrintWriter out, PrintWriter err) {
        List<OpBenchCase> cases = OpBenchCases.select(request.ops(), request.types(), request.quick());
        if (cases.isEmpty()) {
            throw new MalformedDataException(
                    "there is no case of " + (request.ops().isEmpty() ? "any op" : request.ops()) + " with "
                            + request.types() + (request.quick() ? " that is quick" : ""));
        }
        Device device = device(request.device(), DeviceRegistry.load(), err);
        GgmlLibrary ggml = ggml(request, err);
        PrintWriter table = request.printsJson() ? err : out;
        table.println(device.name() + ": " + device.description());
        table.println(ggml == null ? "ggml: not there" : ggml);
        List<CaseResult> results = measure(request, cases, new CaseRun(device, ggml, pace(request)), table, err);
        writeJson(request, ResultJson.text(device, ggml, results), out);
        return results.stream().allMatch(CaseResult::isExact);
    }

    private static MeasurementSettings pace(OpsBenchmarkRequest request) {
        return MeasurementSettings.of(request.rounds(), request.quick());
    }

    /** The device that is named, else the processor, else the one that is always there. */
    static Device device(@Nullable String name, DeviceRegistry registry, PrintWriter err) {
        if (name != null) {
            return registry.device(name);
        }
        try {
            return registry.device(USUAL_DEVICE);
        } catch (DeviceException e) {
            err.println(
                    "stowage: measuring '" + LAST_RESORT + "', which is plain scalar code and slow: " + e.getMessage());
            err.flush();
            return registry.device(LAST_RESORT);
        }
    }

    private static @Nullable GgmlLibrary ggml(OpsBenchmarkRequest request, PrintWriter err) {
        Optional<Path> folder =
                request.ggml() == null ? GgmlFolder.present() : Optional.of(GgmlFolder.named(request.ggml()));
        if (folder.isEmpty() && request.fetchGgml()) {
            say(err, "fetching ggml: " + GgmlFolder.fetchDescription());
            folder = Optional.of(GgmlFolder.fetch());
        }
        if (folder.isEmpty()) {
            say(
                    err,
                    "without ggml there is nothing to compare with; --fetch-ggml downloads it ("
                            + GgmlFolder.fetchDescription() + "), --ggml DIR names a folder that has it");
            return null;
        }
        return GgmlLibrary.open(folder.get()).silenced();
    }

    private static void say(PrintWriter err, String what) {
        err.println("stowage: " + what);
        err.flush();
    }

    private static List<CaseResult> measure(
            OpsBenchmarkRequest request, List<OpBenchCase> cases, CaseRun run, PrintWriter out, PrintWriter err) {
        Progress progress = Progress.onTerminal(err);
        ResultTable table = new ResultTable(out);
        List<CaseResult> results = new ArrayList<>();
        List<Integer> counts = request.threadsToCompare();
        int total = cases.size() * counts.size();
        table.head();
        for (OpBenchCase benchCase : cases) {
            for (int threads : counts) {
                progress.show(results.size() + " of " + total + ", now " + benchCase.name() + " "
                        + benchCase.type().label() + ", threads: " + threads);
                CaseResult result = run.run(benchCase, threads);
                results.add(result);
                progress.clear();
                table.add(result);
            }
        }
        return results;
    }

    private static void writeJson(OpsBenchmarkRequest request, String json, PrintWriter out) {
        Path file = request.json();
        if (request.printsJson()) {
            out.print(json);
            out.flush();
        } else if (file != null) {
            OutputFiles.write(json, file, "the results");
        }
    }
}
