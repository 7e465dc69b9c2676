package dev.stowage.cli.conformance;

import dev.stowage.cli.option.CountConverter;
import dev.stowage.cli.text.Progress;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.tensor.Op;
import dev.stowage.testkit.backend.BackendConformance;
import dev.stowage.testkit.backend.Check;
import dev.stowage.testkit.backend.CheckResult;
import dev.stowage.testkit.backend.ConformanceReport;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs the conformance suite on a device of this machine. */
@Command(
        name = "backend",
        description = {
            "Check a device against the reference, op by op, and its backends against the interface.",
            "Prints a table per op and part of the interface, then every failure. The last line says how many checks"
                    + " passed and failed; what a device does not claim is no failure."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage conformance backend reference",
            "  stowage conformance backend reference --op MUL_MAT --random 50 --seed 7"
        })
final class BackendConformanceCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(arity = "1", paramLabel = "NAME", description = "The device, as 'stowage devices' lists it.")
    private String name;

    @Option(
            names = "--op",
            paramLabel = "OP",
            description = "Check only this op, such as MUL_MAT. Default: all, and the interface.")
    private @Nullable Op op;

    @Option(
            names = "--random",
            paramLabel = "N",
            defaultValue = "3",
            converter = CountConverter.OrZero.class,
            description = "Random cases for each op beside the fixed ones. Default: ${DEFAULT-VALUE}.")
    private int random;

    @Option(
            names = "--seed",
            paramLabel = "SEED",
            defaultValue = "1",
            description = "What the random cases are drawn with. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Override
    public Integer call() {
        Device device = DeviceRegistry.load().device(name);
        BackendConformance suite = BackendConformance.of(device).withRandomCases(seed, random);
        ConformanceReport report = run(suite, op == null ? suite.checks() : suite.opChecks(op));
        PrintWriter out = spec.commandLine().getOut();
        out.print(report.text());
        out.flush();
        return report.failed() == 0 ? ExitCode.OK : spec.exitCodeOnExecutionException();
    }

    private ConformanceReport run(BackendConformance suite, List<Check> checks) {
        Progress progress = Progress.onTerminal(spec.commandLine().getErr());
        List<CheckResult> results = new ArrayList<>(checks.size());
        for (Check check : checks) {
            progress.show(suite.device().name() + ": " + results.size() + " of " + checks.size() + " checks, now "
                    + check.group());
            results.add(new CheckResult(check, check.run()));
        }
        progress.clear();
        return new ConformanceReport(suite.device().name(), results);
    }
}
