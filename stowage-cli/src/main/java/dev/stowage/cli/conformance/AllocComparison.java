package dev.stowage.cli.conformance;

import dev.stowage.testkit.golden.AllocCase;
import dev.stowage.testkit.golden.AllocConformance;
import dev.stowage.testkit.golden.GoldenFile;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Plans the graphs of golden files and compares every place and size with those of ggml's graph allocator. */
final class AllocComparison extends GoldenComparison<AllocCase> {
    AllocComparison(List<Path> files, CommandLine command) {
        super(files, command);
    }

    @Override
    Stream<AllocCase> cases(GoldenFile file) {
        return file.allocCases();
    }

    @Override
    List<String> failures(AllocCase golden) {
        return AllocConformance.failures(golden);
    }

    @Override
    String refusal() {
        return "cannot be planned";
    }
}
