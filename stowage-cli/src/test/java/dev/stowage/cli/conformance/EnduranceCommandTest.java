package dev.stowage.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import org.junit.jupiter.api.Test;

class EnduranceCommandTest {

    private static final String MODEL = "src/main/resources/dev/stowage/cli/option/lexicon-5m-Q8_0.gguf";

    @Test
    void everySessionIsACheck() {
        CommandRun run = CommandRun.of("conformance", "endurance", "reference", MODEL, "--sessions", "2");

        assertThat(run.exitCode()).isZero();
        assertThat(run.outLines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("sessions: 2 opened and closed"),
                        line -> assertThat(line).contains("reference", "made to fail", "not checked"),
                        line -> assertThat(line).isEqualTo("2 passed, 0 failed"));
    }

    @Test
    void anUnknownDeviceIsRefused() {
        CommandRun run = CommandRun.of("conformance", "endurance", "cuda77", MODEL);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("cuda77", "reference");
    }
}
