package dev.stowage.bench.ops;

import dev.stowage.cli.bench.OpsBenchmarkRequest;
import dev.stowage.cli.text.Progress;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceType;
import dev.stowage.error.MalformedDataException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Measures the ops of a device against its own ceilings, which are measured first. */
final class DeviceOpsBench {

    private final Device device;
    private final OpsBenchmarkRequest request;
    private final PrintWriter table;
    private final PrintWriter err;

    /**
     * @param table where the table goes
     * @param err where progress goes
     */
    DeviceOpsBench(Device device, OpsBenchmarkRequest request, PrintWriter table, PrintWriter err) {
        this.device = device;
        this.request = request;
        this.table = table;
        this.err = err;
    }

    /**
     * Measures the ops that are asked for; returns the results as JSON.
     *
     * @throws MalformedDataException if there are none
     */
    String run() {
        return run(
                DeviceOpCases.select(request.ops(), request.types(), request.quick()),
                Ceilings.Sizes.of(device.memory().free()),
                DeviceOpRun.coldBytes(device));
    }

    String run(List<DeviceOpCase> cases, Ceilings.Sizes sizes, long coldBytes) {
        if (cases.isEmpty()) {
            throw new MalformedDataException(
                    "there is no case of " + (request.ops().isEmpty() ? "any op" : request.ops()) + " with "
                            + (request.types().isEmpty() ? "the usual types" : request.types())
                            + (request.quick() ? " that is quick" : "") + " for a device");
        }
        boolean deviceClock = StreamContender.hasClock(device);
        table.println(device.name() + ": " + device.description());
        table.println("times by the clock of the " + (deviceClock ? "device" : "host"));
        table.flush();
        int threads = request.threads().isEmpty() ? 0 : request.threads().getLast();
        DeviceOpRun run = new DeviceOpRun(device, threads, coldBytes, pace());
        Progress progress = Progress.onTerminal(err);
        Ceilings ceilings = Ceilings.measure(sizes, opCase -> {
            progress.show("ceilings: " + opCase.name());
            return run.run(opCase);
        });
        progress.clear();
        List<DeviceOpResult> results = measure(cases, run, ceilings, progress);
        return DeviceOpJson.text(device, deviceClock, ceilings, results);
    }

    private List<DeviceOpResult> measure(
            List<DeviceOpCase> cases, DeviceOpRun run, Ceilings ceilings, Progress progress) {
        DeviceOpTable lines = new DeviceOpTable(table, ceilings);
        List<DeviceOpResult> results = new ArrayList<>();
        lines.head();
        for (DeviceOpCase opCase : cases) {
            progress.show(results.size() + " of " + cases.size() + ", now " + opCase.name() + " "
                    + opCase.type().label());
            DeviceOpResult result = run.run(opCase);
            results.add(result);
            progress.clear();
            lines.add(result);
        }
        return results;
    }

    /** Other devices than processors have nothing that is compiled while it runs. */
    private MeasurementSettings pace() {
        return device.type() == DeviceType.CPU
                ? MeasurementSettings.of(request.rounds(), request.quick())
                : new MeasurementSettings(
                        request.rounds(),
                        Duration.ofSeconds(1),
                        Duration.ofMillis(request.quick() ? 10 : 40),
                        Duration.ofMillis(request.quick() ? 2 : 10),
                        Duration.ofSeconds(5));
    }
}
