package dev.stowage.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import org.junit.jupiter.api.Test;

/** Without the model maker, as in an installation without the sources. */
class MakeModelCommandTest {

    @Test
    void saysWhereItRunsIfItIsNotInstalled() {
        CommandRun run = CommandRun.of("bench", "make-model", "m.gguf", "--shape", "tiny-llama");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().contains("./stowage bench make-model", "checkout");
    }

    @Test
    void helpListsTheShapesThereAre() {
        CommandRun run = CommandRun.of("bench", "make-model", "--help");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("Usage: stowage bench make-model").contains(ModelMakerShapes.NAMES);
    }

    @Test
    void anUnknownShapeIsAUsageErrorThatListsThoseThereAre() {
        CommandRun run = CommandRun.of("bench", "make-model", "m.gguf", "--shape", "falcon");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("'falcon'", "tiny-qwen3moe");
    }

    @Test
    void aModelWithoutAShapeIsAUsageError() {
        CommandRun run = CommandRun.of("bench", "make-model", "m.gguf");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--shape");
    }

    @Test
    void whatNothingCanBeQuantisedToIsAUsageError() {
        CommandRun run = CommandRun.of("bench", "make-model", "m.gguf", "--shape", "tiny-llama", "--type", "IQ1_S");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("IQ1_S");
    }
}
