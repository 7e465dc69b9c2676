package dev.stowage.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Here the benchmark itself is not there, as in an installation without the sources. */
class OpsBenchCommandTest {

    @Test
    void saysWhereItRunsIfItIsNotInstalled() {
        CommandRun run = CommandRun.of("bench", "ops");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().contains("./stowage bench ops", "checkout");
    }

    @Test
    void benchAloneSaysWhatThereIsToDo() {
        CommandRun run = CommandRun.of("bench");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.errLines())
                .containsExactly(
                        "stowage: say what to do: measure a GGUF file, or ops, make-model",
                        "Try 'stowage bench --help'.");
    }

    @Test
    void helpListsTheOpsThereAre() {
        CommandRun run = CommandRun.of("bench", "ops", "--help");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("Usage: stowage bench ops").contains(OpsBenchGroups.NAMES);
    }

    @Test
    void anUnknownOpIsAUsageErrorThatListsThoseThereAre() {
        CommandRun run = CommandRun.of("bench", "ops", "--op", "rope,matmul");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("'matmul'", "mul_mat");
    }

    @Test
    void anUnknownTypeIsAUsageError() {
        CommandRun run = CommandRun.of("bench", "ops", "--type", "q4_0,q9");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("q9");
    }

    @Test
    void thereIsAtLeastOneThread() {
        CommandRun run = CommandRun.of("bench", "ops", "--threads", "1,0");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.errLines())
                .first()
                .isEqualTo("stowage: Invalid value for option '--threads' (N): '0' is not a whole number from 1 to "
                        + Integer.MAX_VALUE);
    }

    @Test
    void thereIsAtLeastOneRound() {
        assertThat(CommandRun.of("bench", "ops", "--rounds", "0").exitCode()).isEqualTo(2);
    }

    @Test
    void aFolderWithGgmlLeavesNothingToFetch() {
        CommandRun run = CommandRun.of("bench", "ops", "--ggml", ".", "--fetch-ggml");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--fetch-ggml");
    }

    @Test
    void resultsThatCouldNotBeWrittenAreRefusedBeforeAnythingIsMeasured(@TempDir Path folder) {
        CommandRun run = CommandRun.of(
                "bench", "ops", "--json", folder.resolve("missing/ops.json").toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("the results", "missing");
    }

    @Test
    void completionKnowsItsOptions() {
        assertThat(CommandRun.of("completion").out()).contains("--fetch-ggml", "mul_mat_vec");
    }
}
