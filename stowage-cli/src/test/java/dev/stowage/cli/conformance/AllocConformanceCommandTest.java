package dev.stowage.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AllocConformanceCommandTest {
    @TempDir
    private Path directory;

    /** A case of three tensors that all have the same place, with the offset that is expected for the last. */
    private static String golden(String name, long offset) {
        return golden(name, offset, 16);
    }

    private static String golden(String name, long offset, long elements) {
        return """
                {"case":"%s","buffer_types":[\
                {"name":"B0","alignment":32,"max_size":null,"size_multiple":1,"host":true}],\
                "tensors":[%s,%s,%s],"nodes":[1,2],"leafs":[0],\
                "expect":{"placement":{"0":[0,0,0],"1":[0,0,0],"2":[0,0,%d]},\
                "chunks":[[64]],"buffer_sizes":[64]}}""".formatted(
                        name,
                        tensor(0, "x", "NONE", elements, "\"input\":true"),
                        tensor(1, "y", "SQR", elements, "\"src\":[0]"),
                        tensor(2, "z", "SQR", elements, "\"src\":[1]"),
                        offset);
    }

    private static String tensor(int id, String name, String op, long elements, String more) {
        return """
                {"id":%1$d,"name":"%2$s","type":"f32","op":"%3$s","ne":[%4$d,1,1,1],\
                "nb":[4,%5$d,%5$d,%5$d],"nbytes":%5$d,%6$s}""".formatted(id, name, op, elements, 4 * elements, more);
    }

    private Path file(String name, String... lines) throws IOException {
        return Files.writeString(directory.resolve(name), String.join("\n", lines) + "\n");
    }

    private static CommandRun run(Path... files) {
        String[] args = new String[files.length + 2];
        args[0] = "conformance";
        args[1] = "alloc";
        for (int i = 0; i < files.length; i++) {
            args[i + 2] = files[i].toString();
        }
        return CommandRun.of(args);
    }

    @Test
    void exactCasesPass() throws IOException {
        CommandRun run = run(file("two.jsonl", golden("first", 0), golden("second", 0)));
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.outLines()).containsExactly("2 passed, 0 failed");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void compressedFilesAreReadToo() throws IOException {
        Path path = directory.resolve("one.jsonl.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(path))) {
            out.write(golden("only", 0).getBytes(StandardCharsets.UTF_8));
        }
        assertThat(run(path).outLines()).containsExactly("1 passed, 0 failed");
    }

    @Test
    void aDifferenceIsPrintedWithCaseTensorExpectedAndFound() throws IOException {
        CommandRun run = run(file("one.jsonl", golden("good", 0), golden("bad", 32)));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.outLines()).hasSize(2);
        assertThat(run.outLines().getFirst())
                .contains("bad", "tensor 2 'z'", "expected", "offset 32", "found", "offset 0");
        assertThat(run.outLines().getLast()).isEqualTo("1 passed, 1 failed");
    }

    @Test
    void withSeveralFilesADifferenceIsPrintedWithItsFile() throws IOException {
        Path good = file("good.jsonl", golden("same", 0));
        Path bad = file("bad.jsonl", golden("same", 32));
        CommandRun run = run(good, bad);
        assertThat(run.outLines().getFirst()).startsWith(bad + ": same: ");
        assertThat(run.outLines().getLast()).isEqualTo("1 passed, 1 failed");
    }

    @Test
    void aCaseThatCannotBePlannedFailsAndTheNextOnesAreStillCompared() throws IOException {
        long countable = Long.MAX_VALUE / 4;
        CommandRun run = run(file("vast.jsonl", golden("vast", 0, countable), golden("good", 0)));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.outLines()).hasSize(2);
        assertThat(run.outLines().getFirst()).startsWith("vast: cannot be planned: ");
        assertThat(run.outLines().getLast()).isEqualTo("1 passed, 1 failed");
    }

    @Test
    void aMissingFileFailsTheJobButNotTheOthers() throws IOException {
        Path missing = directory.resolve("missing.jsonl");
        CommandRun run = run(missing, file("good.jsonl", golden("good", 0)));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).containsExactly("stowage: no such file: " + missing);
        assertThat(run.outLines()).containsExactly("1 passed, 0 failed");
    }

    @Test
    void aMalformedLineIsReportedWithFileAndLine() throws IOException {
        Path broken = file("broken.jsonl", golden("good", 0), "{\"case\":");
        CommandRun run = run(broken);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).hasSize(1);
        assertThat(run.err()).startsWith("stowage: " + broken).contains("line 2");
        assertThat(run.outLines()).containsExactly("1 passed, 0 failed");
    }

    @Test
    void aFileWithoutCasesIsNotASuccess() throws IOException {
        Path empty = file("empty.jsonl");
        CommandRun run = run(empty);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).containsExactly("stowage: " + empty + " has no cases");
        assertThat(run.outLines()).containsExactly("0 passed, 0 failed");
    }

    @Test
    void noFilesIsAUsageError() {
        CommandRun run = run();
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.errLines())
                .containsExactly(
                        "stowage: Missing required parameter: 'FILE'", "Try 'stowage conformance alloc --help'.");
    }

    @Test
    void noSuiteIsAUsageErrorThatNamesThoseThereAre() {
        CommandRun run = CommandRun.of("conformance");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.errLines())
                .containsExactly(
                        "stowage: say what to compare: alloc, sched, backend, model, endurance, rpc",
                        "Try 'stowage conformance --help'.");
    }

    @Test
    void helpSaysWhatIsComparedAndGivesExamples() {
        CommandRun run = CommandRun.of("conformance", "alloc", "--help");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .startsWith("Usage: stowage conformance alloc ")
                .contains("gzip", "Examples:", "Exit codes:");
    }
}
