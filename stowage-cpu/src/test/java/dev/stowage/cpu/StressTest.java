package dev.stowage.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cpu.stress.StressProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * No sequence of public calls, from any number of threads, ends the VM, corrupts memory or gives a wrong result without a
 * word. The calls are made in a process of its own, so that one that ends is a failed test. The order in which threads meet
 * is not in the seed; run with {@code -Dstowage.stress.operations=1000000} to look longer.
 */
class StressTest {

    private static final long OPERATIONS = Long.getLong("stowage.stress.operations", 10_000);
    private static final long SEED = Long.getLong("stowage.stress.seed", 1);
    private static final int TAIL_LINES = 200;

    @TempDir
    private Path folder;

    @Test
    void everythingIsOpenedRunAndClosedByManyThreadsInAnyOrder() throws IOException, InterruptedException {
        Path crash = folder.resolve("hs_err.log");
        List<String> options = List.of(
                "--add-modules",
                "jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx1g",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=" + crash);
        try (JavaProcess process =
                JavaProcess.start(options, StressProcess.class, String.valueOf(SEED), String.valueOf(OPERATIONS))) {
            List<String> lines = process.lines(JavaProcess.HUNG_AFTER_MINUTES + OPERATIONS / 10_000);
            assertThat(lines).as("seed %d", SEED).anyMatch(line -> line.startsWith("done: "));
        } catch (AssertionError e) {
            throw new AssertionError(
                    "seed " + SEED + ", " + OPERATIONS + " operations: " + e.getMessage() + tail(crash), e);
        }
    }

    private static String tail(Path crash) throws IOException {
        if (!Files.exists(crash)) {
            return "";
        }
        List<String> lines = Files.readAllLines(crash);
        return "\nThe VM has ended:\n" + String.join("\n", lines.subList(0, Math.min(TAIL_LINES, lines.size())));
    }
}
