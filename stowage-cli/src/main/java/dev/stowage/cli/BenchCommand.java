package dev.stowage.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Groups what measures speed. */
@Command(
        name = "bench",
        description = "Measure how fast devices compute, beside ggml where it is there.",
        subcommands = OpsBenchCommand.class,
        footerHeading = "%nExamples:%n",
        footer = {"  stowage bench ops --quick", "  stowage bench ops --op mul_mat --type q4_0,q8_0 --fetch-ggml"})
final class BenchCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "say what to measure: " + String.join(", ", spec.subcommands().keySet()));
    }
}
