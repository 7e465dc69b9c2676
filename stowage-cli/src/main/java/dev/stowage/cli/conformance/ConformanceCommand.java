package dev.stowage.cli.conformance;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Groups the comparisons with what ggml was recorded to do, and with the reference. */
@Command(
        name = "conformance",
        description =
                "Compare plans, schedules and models with what ggml and llama.cpp were recorded to do, and devices"
                        + " with the reference; check that devices last.",
        subcommands = {
            AllocConformanceCommand.class,
            SchedConformanceCommand.class,
            BackendConformanceCommand.class,
            ModelConformanceCommand.class,
            EnduranceCommand.class,
            RpcConformanceCommand.class
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage conformance alloc golden/alloc.jsonl.gz",
            "  stowage conformance sched golden/sched.jsonl.gz",
            "  stowage conformance backend reference",
            "  stowage conformance model lexicon-5m-f16.gguf golden.json.gz",
            "  stowage conformance endurance cuda0 lexicon-5m-f16.gguf",
            "  stowage conformance rpc recordings/*.bin.gz"
        })
public final class ConformanceCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "say what to compare: " + String.join(", ", spec.subcommands().keySet()));
    }
}
