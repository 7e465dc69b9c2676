package dev.stowage.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * No process falls into the slow mode, in which a kernel is never compiled well for as long as the process lives. Whether
 * one does is a matter of the order in which code is first run, so several processes are started, each with an order of
 * its own. Nothing is timed: a kernel that is not compiled well puts vectors into objects, and these can be counted. The
 * first process has the options of the launcher and a log of what the JVM compiles; the others have neither.
 */
class FreshProcessesTest {

    /** How many processes to start; nearly all of their time is the JVM's compiler. */
    private static final int PROCESSES = Integer.getInteger("stowage.fresh.processes", 4);

    private static final int AT_ONCE = 2;

    private static final List<String> OPTIONS =
            List.of("--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED");

    private static final String SECOND_COMPILER = "4";

    /** A line of the JVM's log, such as {@code 123 45 % 4 dev.stowage.cpu.kernel.math.ExpKernels::exp @ 20 (99 bytes)}. */
    private static final Pattern COMPILED_KERNEL = Pattern.compile(
            " (?<level>[1-4]) +dev\\.stowage\\.cpu\\.kernel\\.(?<package>(?:[a-z]+\\.)*)[A-Z]\\w*(?:\\$\\w+)*::");

    @TempDir
    private static Path folder;

    /** By seed what the process wrote. */
    private static final Map<Integer, List<String>> WRITTEN = new TreeMap<>();

    @BeforeAll
    static void runProcesses() throws IOException, InterruptedException {
        for (int seed = 1; seed <= PROCESSES; seed += AT_ONCE) {
            List<JavaProcess> processes = new ArrayList<>();
            try {
                for (int i = seed; i < Math.min(seed + AT_ONCE, PROCESSES + 1); i++) {
                    processes.add(JavaProcess.start(options(i), FreshKernelProcess.class, String.valueOf(i)));
                }
                for (int i = 0; i < processes.size(); i++) {
                    WRITTEN.put(seed + i, processes.get(i).lines());
                }
            } finally {
                for (JavaProcess process : processes) {
                    process.close();
                }
            }
        }
    }

    private static List<String> options(int seed) {
        List<String> options = new ArrayList<>(OPTIONS);
        if (seed == 1) {
            options.add("-XX:CompileCommand=quiet");
            options.add("-XX:CompileCommand=CompileThresholdScaling," + CompilerRules.KERNELS + ",0.02");
            options.add("-Xlog:jit+compilation=debug:file=" + log() + "::filecount=0");
        }
        return options;
    }

    private static Path log() {
        return folder.resolve("compilations.txt");
    }

    @Test
    void everyKernelIsCompiledWellInEveryProcess() {
        Map<String, Long> boxing = new TreeMap<>();
        WRITTEN.forEach((seed, lines) -> noteBoxing(seed, lines, boxing));

        assertThat(boxing)
                .as("bytes of garbage per run, of kernels that made more than %d", FreshKernelProcess.ALLOWED_BYTES)
                .isEmpty();
    }

    private static void noteBoxing(int seed, List<String> lines, Map<String, Long> boxing) {
        List<String> answers = lines.stream()
                .filter(line -> line.startsWith(FreshKernelProcess.MARK))
                .toList();
        assertThat(answers).as("answers of seed %d: %s", seed, lines).isNotEmpty();
        for (String answer : answers) {
            String[] words = answer.substring(FreshKernelProcess.MARK.length()).split(" ", 2);
            long bytes = Long.parseLong(words[0]);
            if (bytes > FreshKernelProcess.ALLOWED_BYTES) {
                boxing.put(words[1] + " (seed " + seed + ")", bytes);
            }
        }
    }

    /** The JVM's own log shows that the compiler directives match kernels of all packages. */
    @Test
    void kernelsOfAllPackagesAreCompiledByTheSecondCompilerAlone() throws IOException {
        Map<String, Set<String>> compilers = new TreeMap<>();
        for (String line : Files.readAllLines(log())) {
            Matcher compiled = COMPILED_KERNEL.matcher(line);
            if (compiled.find()) {
                compilers
                        .computeIfAbsent(compiled.group("package"), _ -> new TreeSet<>())
                        .add(compiled.group("level"));
            }
        }
        assertThat(compilers.keySet()).contains("attention.", "codec.", "math.", "norm.", "product.");
        assertThat(compilers.values()).allMatch(Set.of(SECOND_COMPILER)::equals, compilers.toString());
    }
}
