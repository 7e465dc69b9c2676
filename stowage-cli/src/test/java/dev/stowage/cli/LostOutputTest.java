package dev.stowage.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a process does whose standard output takes nothing, which a writer within the process does not find out. */
class LostOutputTest {

    private static final File FULL = new File("/dev/full");

    private static Process start(ProcessBuilder.Redirect out, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.stowage.cli.Main"));
        command.addAll(List.of(args));
        return new ProcessBuilder(command).redirectOutput(out).start();
    }

    private static List<String> failure(Process process) throws IOException {
        try (BufferedReader err = process.errorReader()) {
            return err.readAllAsString().lines().toList();
        }
    }

    @Test
    void aFullDiskIsAFailureThatIsReported() throws IOException, InterruptedException {
        assumeThat(FULL).exists();
        Process process = start(ProcessBuilder.Redirect.to(FULL), "plan", "--list");

        assertThat(failure(process)).singleElement().asString().startsWith("stowage: the output could not be written");
        assertThat(process.waitFor()).isEqualTo(1);
    }

    @Test
    void helpThatIsLostIsAFailureToo() throws IOException, InterruptedException {
        assumeThat(FULL).exists();
        Process process = start(ProcessBuilder.Redirect.to(FULL), "help", "pack");

        assertThat(failure(process)).hasSize(1);
        assertThat(process.waitFor()).isEqualTo(1);
    }

    @Test
    void aReaderThatHasEndedIsAFailureWithoutAMessage() throws IOException, InterruptedException {
        assumeThat(new File("/proc/self/fd/1")).exists();
        Process process = start(ProcessBuilder.Redirect.PIPE, "plan", "--list", "--json");
        process.getInputStream().close();

        assertThat(failure(process)).isEmpty();
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isEqualTo(141);
    }
}
