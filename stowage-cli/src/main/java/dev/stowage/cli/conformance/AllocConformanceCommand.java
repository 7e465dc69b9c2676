package dev.stowage.cli.conformance;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Plans the graphs of golden files and compares every place and size with those of ggml's graph allocator. */
@Command(
        name = "alloc",
        description = {
            "Compare memory plans with those of ggml's graph allocator.",
            "Every difference is printed with its case, tensor, expected and found. The last line says how many cases"
                    + " passed and failed. A file that cannot be read, or has no cases, counts as a failed job."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage conformance alloc golden/alloc.jsonl.gz",
            "  stowage conformance alloc one.jsonl another.jsonl.gz"
        })
final class AllocConformanceCommand extends GoldenConformanceCommand {
    @Override
    GoldenComparison<?> comparison(List<Path> cases, CommandLine command) {
        return new AllocComparison(cases, command);
    }
}
