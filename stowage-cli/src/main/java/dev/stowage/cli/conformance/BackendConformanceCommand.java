package dev.stowage.cli.conformance;

import dev.stowage.cli.option.CountConverter;
import dev.stowage.tensor.Op;
import java.util.List;
import java.util.concurrent.Callable;
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
                    + " passed and failed; an op that a device does not claim is not a failure."
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
            split = ",",
            description = "Check only these ops, such as MUL_MAT. Default: all, and the interface.")
    private List<Op> ops = List.of();

    @Option(
            names = "--random",
            paramLabel = "N",
            defaultValue = "3",
            converter = CountConverter.OrZero.class,
            description = "Random cases for each op in addition to the fixed ones. Default: ${DEFAULT-VALUE}.")
    private int random;

    @Option(
            names = "--seed",
            paramLabel = "SEED",
            defaultValue = "1",
            description = "Seed of the random cases. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Override
    public Integer call() {
        TestKit.require(spec);
        return new BackendSuiteRun(name, ops, random, seed).passes(spec.commandLine())
                ? ExitCode.OK
                : spec.exitCodeOnExecutionException();
    }
}
