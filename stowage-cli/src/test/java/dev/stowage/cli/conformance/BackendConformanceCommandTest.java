package dev.stowage.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import org.junit.jupiter.api.Test;

class BackendConformanceCommandTest {

    @Test
    void endsWithHowManyChecksPassedAndFailed() {
        CommandRun run = CommandRun.of("conformance", "backend", "reference", "--op", "ADD");

        assertThat(run.exitCode()).isZero();
        assertThat(run.outLines().getLast()).matches("[1-9]\\d* passed, 0 failed");
        assertThat(run.outLines()).anySatisfy(line -> assertThat(line).startsWith("ADD "));
    }

    @Test
    void checksSeveralOps() {
        CommandRun run = CommandRun.of("conformance", "backend", "reference", "--random", "0", "--op", "ADD,SQR");

        assertThat(run.exitCode()).isZero();
        assertThat(run.outLines()).hasSize(4);
        assertThat(run.outLines().get(1)).startsWith("ADD ");
        assertThat(run.outLines().get(2)).startsWith("SQR ");
    }

    @Test
    void namesTheDevicesThereAreWhereTheNameIsWrong() {
        CommandRun run = CommandRun.of("conformance", "backend", "abacus");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().contains("'abacus'", "there are: ", "reference");
    }

    @Test
    void refusesAnOpThatIsNone() {
        CommandRun run = CommandRun.of("conformance", "backend", "reference", "--op", "DIVINE");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("DIVINE");
    }

    @Test
    void refusesLessThanNoRandomCases() {
        CommandRun run = CommandRun.of("conformance", "backend", "reference", "--random", "-1");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--random");
    }
}
