package dev.stowage.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the commands say of a model that makes vectors and no text. */
class EmbeddingModelRunTest {

    private static final String FILE = "../stowage-llm/src/test/resources/dev/stowage/llm/encoders/tiny-bert.gguf";

    @Test
    void runAndBenchNameTheCommandThatServesIt() {
        for (List<String> arguments : List.of(
                List.of("run", "-m", FILE, "hello"),
                List.of("run", "-m", FILE, "--chat", "hello"),
                List.of("bench", FILE))) {
            CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
            assertThat(run.exitCode()).as("%s", arguments).isNotZero();
            assertThat(run.err()).contains("is an embedding model").contains("'stowage serve FILE'");
        }
    }

    @Test
    void planSaysHowLongTextsMayBeAndThatThereIsNoCache() {
        CommandRun run = CommandRun.of("plan", FILE, "--ctx", "64");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("texts of up to 64 tokens").contains("no cache");
    }
}
