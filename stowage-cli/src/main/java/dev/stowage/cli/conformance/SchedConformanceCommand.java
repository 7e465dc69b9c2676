package dev.stowage.cli.conformance;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Schedules the graphs of golden files and compares devices, splits, sizes and every call with those of ggml. */
@Command(
        name = "sched",
        description = {
            "Compare schedules with those of ggml's scheduler.",
            "Every difference is printed with its case, what differs, expected and found: the device of a tensor, the"
                    + " number of splits, the size of a compute buffer, or the first call to a device that is another."
                    + " The last line says how many cases passed and failed. A file that cannot be read, or has no"
                    + " cases, counts as a failed job."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage conformance sched golden/sched.jsonl.gz",
            "  stowage conformance sched one.jsonl another.jsonl.gz"
        })
final class SchedConformanceCommand extends GoldenConformanceCommand {
    @Override
    GoldenComparison<?> comparison(List<Path> cases, CommandLine command) {
        return new SchedComparison(cases, command);
    }
}
