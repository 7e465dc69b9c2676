package dev.stowage.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is special to schedules; what all comparisons share is tested with those of plans. */
class SchedConformanceCommandTest {
    @TempDir
    private Path directory;

    /** Squares an input on the only device, which supports those ops and is expected to be called in that way. */
    private static String golden(String name, String supported, int splits, String call) {
        return """
                {"case":"%s","parallel":false,"op_offload":false,"devices":[{"name":"CPU","type":"cpu",\
                "buffer_type":{"name":"CPU","alignment":32,"max_size":null,"size_multiple":1,"host":true},\
                "async_copy":false,"events":false,"supports_ops":%s,"offload_ops":[],\
                "supports_buffer_types":["CPU"]}],\
                "tensors":[{"id":0,"name":"x","type":"f32","op":"NONE","ne":[16,1,1,1],"nb":[4,64,64,64],\
                "nbytes":64,"input":true},\
                {"id":1,"name":"y","type":"f32","op":"SQR","ne":[16,1,1,1],"nb":[4,64,64,64],\
                "nbytes":64,"src":[0]}],"nodes":[1],"leafs":[0],"user_assignments":{},\
                "expect":{"node_backends":[0],"leaf_backends":[0],"n_splits":%d,"n_copies":1,\
                "buffer_sizes":[64],"trace":[["%s","CPU",[1]]]}}""".formatted(name, supported, splits, call);
    }

    private static String good(String name) {
        return golden(name, "\"all\"", 1, "compute");
    }

    private CommandRun run(String... lines) throws IOException {
        Path file = Files.writeString(directory.resolve("cases.jsonl"), String.join("\n", lines) + "\n");
        return CommandRun.of("conformance", "sched", file.toString());
    }

    @Test
    void exactCasesPass() throws IOException {
        CommandRun run = run(good("first"), good("second"));
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.outLines()).containsExactly("2 passed, 0 failed");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void aDifferentScheduleIsPrintedWithExpectedAndFound() throws IOException {
        CommandRun run = run(good("good"), golden("bad", "\"all\"", 2, "compute"));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.outLines()).containsExactly("bad: splits: expected 2, found 1", "1 passed, 1 failed");
    }

    @Test
    void theFirstCallThatDiffersIsPrinted() throws IOException {
        CommandRun run = run(golden("bad", "\"all\"", 1, "contemplate"));
        assertThat(run.outLines())
                .containsExactly(
                        "bad: call 0 of 1: expected contemplate(CPU,[1]), found compute(CPU,[1])",
                        "0 passed, 1 failed");
    }

    @Test
    void aCaseThatCannotBeScheduledFailsAndTheNextOnesAreStillCompared() throws IOException {
        CommandRun run = run(golden("odd", "[\"ADD\"]", 1, "compute"), good("good"));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.outLines()).hasSize(2);
        assertThat(run.outLines().getFirst())
                .startsWith("odd: cannot be scheduled: ")
                .contains("SQR");
        assertThat(run.outLines().getLast()).isEqualTo("1 passed, 1 failed");
    }

    @Test
    void aMissingFileFailsTheJob() {
        Path missing = directory.resolve("missing.jsonl");
        CommandRun run = CommandRun.of("conformance", "sched", missing.toString());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).containsExactly("stowage: no such file: " + missing);
        assertThat(run.outLines()).containsExactly("0 passed, 0 failed");
    }

    @Test
    void noFilesIsAUsageError() {
        CommandRun run = CommandRun.of("conformance", "sched");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.errLines())
                .containsExactly(
                        "stowage: Missing required parameter: 'FILE'", "Try 'stowage conformance sched --help'.");
    }

    @Test
    void helpSaysWhatIsComparedAndGivesExamples() {
        CommandRun run = CommandRun.of("conformance", "sched", "--help");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .startsWith("Usage: stowage conformance sched ")
                .contains("gzip", "splits", "Examples:", "Exit codes:");
    }
}
