package dev.stowage.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Groups the comparisons with what ggml was recorded to do. */
@Command(
        name = "conformance",
        description = "Compare what Stowage does with what ggml was recorded to do.",
        subcommands = {AllocConformanceCommand.class},
        footerHeading = "%nExamples:%n",
        footer = "  stowage conformance alloc golden/alloc.jsonl.gz")
final class ConformanceCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "say what to compare: " + String.join(", ", spec.subcommands().keySet()));
    }
}
