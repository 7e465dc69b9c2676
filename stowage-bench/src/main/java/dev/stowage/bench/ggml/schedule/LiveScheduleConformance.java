package dev.stowage.bench.ggml.schedule;

import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.bench.ggml.GgmlOps;
import dev.stowage.bench.ggml.live.CrashIsolatedRun;
import dev.stowage.bench.ggml.live.LiveArguments;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Has models and random graphs scheduled and run by Stowage and by ggml over devices that do nothing, and compares the device of
 * every tensor, splits, places, sizes and every call made to a device. {@code java ... LiveScheduleConformance [graphs
 * [first seed]]}; without arguments 2,000 random graphs from seed 0. The last line says {@code N passed, M failed}; the status
 * is 1 if one failed.
 *
 * <p>Counted on their own are graphs that ggml would end the process for, which Stowage runs ("beyond ggml") or refuses
 * too ("refused"), and those that Stowage means to schedule otherwise ({@link ScheduleDeviations}).
 */
public final class LiveScheduleConformance {

    private static final int MOST_SHOWN = 20;
    private static final int MOST_DIFFERENCES = 3;

    private final PrintStream out;
    private final Map<String, Integer> explained = new TreeMap<>();
    private int passed;
    private int failed;

    private LiveScheduleConformance(PrintStream out) {
        this.out = out;
    }

    /** Runs the comparison; see the class. */
    public static void main(String[] arguments) {
        LiveArguments asked = LiveArguments.of(arguments);
        Integer worker = asked.worker();
        if (worker != null) {
            CrashIsolatedRun.work(
                    new Graphs(GgmlLibrary.open(), ModelScheduleCases.all(), asked.seed(), asked.graphs()), worker);
        } else {
            PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
            System.exit(new LiveScheduleConformance(out).compare(asked) ? 0 : 1);
        }
    }

    private boolean compare(LiveArguments asked) {
        LiveArguments.announce(GgmlLibrary.open(), out);
        CrashIsolatedRun.run(LiveScheduleConformance.class, asked.forWorkers(), new CrashIsolatedRun.Listener() {
            @Override
            public void done(int piece, String name, String result) {
                count(name, result);
            }

            @Override
            public void died(int piece, String name, String lastWords) {
                boolean isExpected = lastWords.startsWith(ScheduleComparison.REFUSED);
                count(name, isExpected ? lastWords : "the process ended: " + lastWords);
            }
        });
        explained.forEach((why, count) -> out.println(count + " " + why));
        out.println(passed + " passed, " + failed + " failed");
        return failed == 0;
    }

    private void count(String name, String difference) {
        if (difference.isEmpty()) {
            passed++;
        } else if (difference.startsWith(ScheduleComparison.REFUSED)) {
            explained.merge(ScheduleComparison.REFUSED, 1, Integer::sum);
        } else if (isExplained(difference)) {
            explained.merge(difference, 1, Integer::sum);
        } else if (++failed <= MOST_SHOWN) {
            out.println(name + ": " + difference);
        }
    }

    private static boolean isExplained(String difference) {
        return difference.startsWith(ScheduleComparison.BEYOND_GGML)
                || difference.startsWith(ScheduleComparison.OTHERWISE)
                || difference.startsWith(ScheduleComparison.REFUSED);
    }

    /** What a worker does: real models first, then one graph for each seed. */
    private record Graphs(GgmlLibrary library, List<Supplier<LiveScheduleCase>> models, long firstSeed, int graphs)
            implements CrashIsolatedRun.Work {

        @Override
        public int size() {
            return models.size() + graphs;
        }

        @Override
        public String name(int piece) {
            return piece < models.size() ? "model " + piece : "seed " + seed(piece);
        }

        private long seed(int piece) {
            return firstSeed + piece - models.size();
        }

        private LiveScheduleCase asked(int piece) {
            GgmlOps ops = library.ops();
            return piece < models.size()
                    ? models.get(piece).get()
                    : RandomScheduleCases.of(
                            seed(piece),
                            op -> ops.has(op) && !ops.differentInPlace().contains(op));
        }

        @Override
        public String run(int piece) {
            LiveScheduleCase asked = asked(piece);
            List<String> differences = ScheduleComparison.differences(library, asked);
            if (differences.isEmpty() || isExplained(differences.getFirst())) {
                return String.join("; ", differences);
            }
            int more = differences.size() - MOST_DIFFERENCES;
            return asked + ": "
                    + String.join(
                            "; ", differences.stream().limit(MOST_DIFFERENCES).toList())
                    + (more > 0 ? " and " + more + " more" : "");
        }
    }
}
