package dev.stowage.bench.ggml.plan;

import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.bench.ggml.GgmlOps;
import dev.stowage.bench.ggml.live.CrashIsolatedRun;
import dev.stowage.bench.ggml.live.LiveArguments;
import dev.stowage.plan.PlanViolation;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Has random graphs planned by Stowage and by ggml and compares where every tensor was placed, and the sizes of all
 * buffers. {@code java ... LivePlanConformance [graphs [first seed]]}; without arguments 2,000 graphs from seed 0. The
 * last line says {@code N passed, M failed}; the status is 1 if one failed.
 *
 * <p>Where ggml loses count of who still needs what, Stowage may plan otherwise; such graphs are counted on their own.
 * Every plan of ours is also validated.
 */
public final class LivePlanConformance {

    private static final int MOST_SHOWN = 20;
    private static final int MOST_DIFFERENCES = 3;
    private static final String BEYOND_GGML = "beyond ggml";

    private final PrintStream out;
    private int passed;
    private int failed;
    private int otherwise;

    private LivePlanConformance(PrintStream out) {
        this.out = out;
    }

    /** Runs the comparison; see the class. */
    public static void main(String[] arguments) {
        LiveArguments asked = LiveArguments.of(arguments);
        Integer worker = asked.worker();
        if (worker != null) {
            CrashIsolatedRun.work(new Graphs(GgmlLibrary.open(), asked.seed(), asked.graphs()), worker);
        } else {
            PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
            System.exit(new LivePlanConformance(out).compare(asked) ? 0 : 1);
        }
    }

    private boolean compare(LiveArguments asked) {
        LiveArguments.announce(GgmlLibrary.open(), out);
        CrashIsolatedRun.run(LivePlanConformance.class, asked.forWorkers(), new CrashIsolatedRun.Listener() {
            @Override
            public void done(int piece, String name, String result) {
                count(name, result);
            }

            @Override
            public void died(int piece, String name, String lastWords) {
                count(name, "the process ended: " + lastWords);
            }
        });
        if (otherwise > 0) {
            out.println(otherwise + " planned otherwise where ggml loses count of who still needs what");
        }
        out.println(passed + " passed, " + failed + " failed");
        return failed == 0;
    }

    private void count(String name, String difference) {
        if (difference.isEmpty()) {
            passed++;
        } else if (difference.startsWith(BEYOND_GGML)) {
            otherwise++;
        } else if (++failed <= MOST_SHOWN) {
            out.println(name + ": " + difference);
        }
    }

    /** What a worker does: one graph for each seed. */
    private record Graphs(GgmlLibrary library, long firstSeed, int size) implements CrashIsolatedRun.Work {

        @Override
        public String name(int piece) {
            return "seed " + (firstSeed + piece);
        }

        @Override
        public String run(int piece) {
            GgmlOps ops = library.ops();
            LivePlanCase asked = RandomPlanGraphs.of(
                    firstSeed + piece,
                    op -> ops.has(op) && !ops.differentInPlace().contains(op));
            PlanComparison comparison = PlanComparison.of(library, asked);
            List<PlanViolation> violations = comparison.violations();
            if (!violations.isEmpty()) {
                return asked.graph() + " is planned wrongly: "
                        + violations.getFirst().message();
            }
            List<String> differences = comparison.differences();
            if (differences.isEmpty()) {
                return "";
            }
            if (comparison.isBeyondGgml()) {
                return BEYOND_GGML;
            }
            int more = differences.size() - MOST_DIFFERENCES;
            String shown = String.join("; ", differences.subList(0, Math.min(MOST_DIFFERENCES, differences.size())));
            return asked.graph() + ": " + shown + (more > 0 ? "; and " + more + " more" : "");
        }
    }
}
