package dev.stowage.bench.ops;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * The main class of a process that measures some cases once it is warm, in an order of its own: {@link ProcessVariance}
 * starts it. Prints a line for each way to compute each case, with the seconds of its fastest round.
 */
final class ProcessVarianceWorker {

    /** Before each line of the answer. */
    static final String MARK = "seconds ";

    private static final List<String> GROUPS =
            List.of("mul_mat", "flash_attn", "soft_max", "rope", "rms_norm", "glu", "set_rows");

    private static final MeasurementSettings PACE = new MeasurementSettings(
            5, Duration.ofSeconds(3), Duration.ofMillis(100), Duration.ofMillis(10), Duration.ofSeconds(10));

    private ProcessVarianceWorker() {}

    /** Takes the seed of the order, the number of threads, and the groups of cases if only some are selected. */
    public static void main(String[] args) {
        List<String> groups = args.length > 2 ? List.of(args).subList(2, args.length) : GROUPS;
        List<OpBenchCase> cases = new ArrayList<>(OpBenchCases.select(groups, List.of(), true));
        Collections.shuffle(cases, new Random(Long.parseLong(args[0])));
        Device device = DeviceRegistry.load().device("cpu");
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        CaseRun run = new CaseRun(device, null, PACE);
        for (OpBenchCase each : cases) {
            CaseResult result = run.run(each, Integer.parseInt(args[1]));
            for (RoundTimes way : result.ours()) {
                String name = each.name() + " " + each.type().label() + " " + way.variant();
                out.println(MARK + String.format(Locale.ROOT, "%.9f ", way.quantile(0)) + name);
            }
        }
    }
}
