package dev.stowage.cli.conformance;

import dev.stowage.cli.text.Progress;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.tensor.Op;
import dev.stowage.testkit.backend.BackendConformance;
import dev.stowage.testkit.backend.Check;
import dev.stowage.testkit.backend.CheckResult;
import dev.stowage.testkit.backend.ConformanceReport;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/**
 * A run of the conformance suite on one device, apart from its command because it needs the {@link TestKit}.
 *
 * @param device the name of the device
 * @param ops the only ops to check; all and the interface where there are none
 * @param random how many random cases each op gets
 * @param seed the seed of the random cases
 */
record BackendSuiteRun(String device, List<Op> ops, int random, long seed) {

    BackendSuiteRun {
        ops = List.copyOf(ops);
    }

    /** Runs the checks, prints the report, and returns whether none failed. */
    boolean passes(CommandLine command) {
        BackendConformance suite =
                BackendConformance.of(DeviceRegistry.load().device(device)).withRandomCases(seed, random);
        List<Check> checks = ops.isEmpty()
                ? suite.checks()
                : ops.stream().flatMap(op -> suite.opChecks(op).stream()).toList();
        ConformanceReport report = report(checks, Progress.onTerminal(command.getErr()));
        PrintWriter out = command.getOut();
        out.print(report.text());
        out.flush();
        return report.failed() == 0;
    }

    private ConformanceReport report(List<Check> checks, Progress progress) {
        List<CheckResult> results = new ArrayList<>(checks.size());
        for (Check check : checks) {
            progress.show(device + ": " + results.size() + " of " + checks.size() + " checks, now " + check.group());
            results.add(new CheckResult(check, check.run()));
        }
        progress.clear();
        return new ConformanceReport(device, results);
    }
}
