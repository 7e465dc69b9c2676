package dev.stowage.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * No process falls into the slow mode, in which a kernel is never compiled well for as long as the process lives. Whether
 * one does is a matter of the order in which code is first run, so several processes are started, each with an order of
 * its own. Nothing is timed: a kernel that is not compiled well puts vectors into objects, and these can be counted.
 */
class FreshProcessesTest {

    /** How many processes to start. */
    private static final int PROCESSES = Integer.getInteger("stowage.fresh.processes", 6);

    private static final int AT_ONCE = 2;

    private static final List<String> OPTIONS =
            List.of("--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED");

    @Test
    void everyKernelIsCompiledWellInEveryProcess() throws IOException, InterruptedException {
        Map<String, Long> boxing = new TreeMap<>();
        for (int seed = 1; seed <= PROCESSES; seed += AT_ONCE) {
            List<JavaProcess> processes = new ArrayList<>();
            try {
                for (int i = seed; i < Math.min(seed + AT_ONCE, PROCESSES + 1); i++) {
                    processes.add(JavaProcess.start(OPTIONS, FreshKernelProcess.class, String.valueOf(i)));
                }
                for (int i = 0; i < processes.size(); i++) {
                    noteBoxing(seed + i, processes.get(i).lines(), boxing);
                }
            } finally {
                for (JavaProcess process : processes) {
                    process.close();
                }
            }
        }
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
}
