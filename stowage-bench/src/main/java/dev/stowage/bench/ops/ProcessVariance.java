package dev.stowage.bench.ops;

import dev.stowage.cli.text.TextTable;
import dev.stowage.error.MalformedDataException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Whether every process is as fast as every other. How well a kernel is compiled can depend on what ran before it, so
 * processes are started one after the other, each of which meets the cases in another order. {@code java ...
 * ProcessVariance [N [THREADS [OP...]]]} starts N of them (20) with so many threads (1), and prints for each case the time
 * of every process and how much slower the slowest is than the fastest. The status is 1 if one is more than a quarter slower.
 * Processes are run as the launcher runs them.
 */
public final class ProcessVariance {

    private static final int USUAL_COUNT = 20;
    private static final double ALLOWED = 1.25;
    private static final double MICROS = 1e6;

    private static final List<String> OPTIONS = List.of(
            "-XX:+UseSerialGC",
            "--add-modules=jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=CompileThresholdScaling,dev/stowage/cpu/kernel/*.*,0.02");

    private ProcessVariance() {}

    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        int count = args.length > 0 ? Integer.parseInt(args[0]) : USUAL_COUNT;
        String threads = args.length > 1 ? args[1] : "1";
        List<String> groups = args.length > 2 ? List.of(args).subList(2, args.length) : List.of();
        Map<String, List<Double>> seconds = new TreeMap<>();
        for (int seed = 1; seed <= count; seed++) {
            for (String line : answers(seed, threads, groups)) {
                String[] words =
                        line.substring(ProcessVarianceWorker.MARK.length()).split(" ", 2);
                seconds.computeIfAbsent(words[1], _ -> new ArrayList<>()).add(Double.valueOf(words[0]));
            }
            out.println("process " + seed + " of " + count + " done");
        }
        if (!print(seconds, out)) {
            System.exit(1);
        }
    }

    private static List<String> answers(int seed, String threads, List<String> groups) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(OPTIONS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ProcessVarianceWorker.class.getName()));
        command.addAll(List.of(Integer.toString(seed), threads));
        command.addAll(groups);
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            List<String> lines;
            try (BufferedReader reader =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                lines = reader.lines().toList();
            }
            if (process.waitFor() != 0) {
                throw new MalformedDataException("process " + seed + " failed: " + lines);
            }
            return lines.stream()
                    .filter(line -> line.startsWith(ProcessVarianceWorker.MARK))
                    .toList();
        } catch (IOException e) {
            throw new MalformedDataException("process " + seed + " could not be run: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MalformedDataException("interrupted while process " + seed + " was running", e);
        }
    }

    /** Prints a line for each case; returns whether all processes are near enough to the fastest. */
    private static boolean print(Map<String, List<Double>> seconds, PrintStream out) {
        boolean near = true;
        double widest = 1;
        TextTable table = TextTable.aligned("lrl").row("case", "slowest / fastest", "us");
        for (Map.Entry<String, List<Double>> each : seconds.entrySet()) {
            double fastest = Collections.min(each.getValue());
            double ratio = Collections.max(each.getValue()) / fastest;
            String times = each.getValue().stream()
                    .map(time -> String.format(Locale.ROOT, "%.0f", time * MICROS))
                    .collect(Collectors.joining(" "));
            table.row(each.getKey(), String.format(Locale.ROOT, "%.2f", ratio), times);
            near &= ratio <= ALLOWED;
            widest = Math.max(widest, ratio);
        }
        table.lines().forEach(out::println);
        out.println(String.format(
                Locale.ROOT,
                "%d cases, the slowest process is %.2f times as slow as the fastest, allowed are %.2f",
                seconds.size(),
                widest,
                ALLOWED));
        return near;
    }
}
