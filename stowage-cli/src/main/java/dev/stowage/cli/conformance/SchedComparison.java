package dev.stowage.cli.conformance;

import dev.stowage.testkit.golden.GoldenFile;
import dev.stowage.testkit.golden.SchedCase;
import dev.stowage.testkit.golden.SchedConformance;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Schedules the graphs of golden files and compares devices, splits, sizes and every call with those of ggml. */
final class SchedComparison extends GoldenComparison<SchedCase> {
    SchedComparison(List<Path> files, CommandLine command) {
        super(files, command);
    }

    @Override
    Stream<SchedCase> cases(GoldenFile file) {
        return file.schedCases();
    }

    @Override
    List<String> failures(SchedCase golden) {
        return SchedConformance.failures(golden);
    }

    @Override
    String refusal() {
        return "cannot be scheduled";
    }
}
