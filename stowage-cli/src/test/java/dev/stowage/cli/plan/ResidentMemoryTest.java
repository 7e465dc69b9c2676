package dev.stowage.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.stowage.cli.CommandRun;
import dev.stowage.cli.LexiconFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a plan says that a process takes is what one takes that is started as the launcher starts it. */
class ResidentMemoryTest {

    /** By how much: what is compiled when depends on the machine. */
    private static final double TOLERANCE = 0.2;

    private static final List<String> OPTIONS = List.of("--ctx", "4096", "--batch", "256", "--no-flash");

    private static final Pattern HEAP = Pattern.compile("heap='([^']+)'");
    private static final Pattern PEAK = Pattern.compile("VmHWM:\\s+(\\d+) kB");

    @TempDir
    private Path folder;

    private static List<String> heapOf(Path launcher) throws IOException {
        Matcher heap = HEAP.matcher(Files.readString(launcher));
        assertThat(heap.find()).as("%s bounds the heap", launcher).isTrue();
        return List.of(heap.group(1).split(" "));
    }

    private Process run(Path model) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(heapOf(Path.of("../stowage")));
        command.addAll(List.of(
                "-XX:+UseSerialGC",
                "--add-modules",
                "jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:CompileCommand=quiet",
                "-XX:CompileCommand=CompileThresholdScaling,dev/stowage/cpu/kernel/*.*,0.02",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.stowage.cli.Main",
                "run",
                model.toString(),
                "-p",
                "a long wooden table and four chairs that nobody used in winter ".repeat(12),
                "-n",
                "16",
                "--raw"));
        command.addAll(OPTIONS);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile())
                .start();
    }

    /** The most bytes that were resident at once; the system forgets them when the process ends. */
    private static long peak(Process process) throws IOException, InterruptedException {
        Path status = Path.of("/proc", String.valueOf(process.pid()), "status");
        long most = 0;
        do {
            try {
                Matcher peak = PEAK.matcher(Files.readString(status));
                most = peak.find() ? Math.max(most, Long.parseLong(peak.group(1)) * 1024) : most;
            } catch (NoSuchFileException _) {
                break;
            }
        } while (!process.waitFor(10, TimeUnit.MILLISECONDS));
        return most;
    }

    @Test
    void aRunTakesWhatThePlanSaysOfItsProcess() throws IOException, InterruptedException {
        assumeThat(Path.of("/proc/self/status")).exists();
        List<String> planning = new ArrayList<>(List.of("plan", LexiconFile.F16.toString(), "--json"));
        planning.addAll(OPTIONS);
        long planned = CommandRun.of(planning.toArray(String[]::new))
                .json()
                .get("needed_here_bytes")
                .asLong();

        Process process = run(LexiconFile.F16);
        long peak = peak(process);

        assertThat(process.waitFor())
                .as(Files.readString(folder.resolve("out")))
                .isZero();
        assertThat((double) peak / planned).isBetween(1 - TOLERANCE, 1 + TOLERANCE);
    }

    @Test
    void bothLaunchersBoundTheHeapAlike() throws IOException {
        assertThat(heapOf(Path.of("../dist/stowage"))).isEqualTo(heapOf(Path.of("../stowage")));
    }
}
