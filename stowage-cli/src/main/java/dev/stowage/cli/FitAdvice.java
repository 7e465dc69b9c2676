package dev.stowage.cli;

import dev.stowage.error.StowageException;
import dev.stowage.llm.Attention;
import dev.stowage.plan.Planner;
import dev.stowage.schedule.PipelineCopies;
import dev.stowage.schedule.Placement;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.tensor.ElementType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What would help where a model does not fit. Nothing is guessed: each piece of advice has been planned like the model
 * itself, and comes with what would still be missing.
 */
final class FitAdvice {
    private static final int MOST = 5;
    private static final int CONTEXT_STEP = 256;
    private static final int FEWEST_TOKENS = 32;
    private static final List<ElementType> SMALL_TYPES = List.of(ElementType.Q8_0, ElementType.Q4_K);

    /**
     * Something to change on the command line.
     *
     * @param option the option to change, or several
     * @param value what to change it to; empty where it takes none
     * @param missing the bytes that would then still be missing; 0 if it would fit
     */
    record Advice(String option, String value, long missing) {
        String change() {
            return value.isEmpty() ? option : option + " " + value;
        }

        boolean fits() {
            return missing == 0;
        }
    }

    private final DevicePlanner planner;
    private final long missing;
    private final List<Advice> found = new ArrayList<>();

    private FitAdvice(DevicePlanner planner, long missing) {
        this.planner = planner;
        this.missing = missing;
    }

    /** What helps, first what is enough by itself; empty if the plan fits, or if nothing helps. */
    static List<Advice> of(DevicePlanner planner, ModelArguments.Run run, DevicePlan plan) {
        if (plan.fits()) {
            return List.of();
        }
        // Any other placement keeps to the memory that ggml's takes, but takes longer to be found.
        DevicePlanner quick = planner.with(planner.options().withPlacement(Placement.ggml()));
        FitAdvice advice = new FitAdvice(quick, plan.missing());
        // Models are made anew, as planning one moves its weights, and those of the plan at hand shall stay.
        ModelRun how = run.how();
        advice.onSchedule(how);
        switch (how) {
            case DecoderRun decoder -> advice.onDecoder(decoder);
            case NetworkRun network -> advice.onNetwork(network);
        }
        return advice.best();
    }

    /** If something is enough by itself, the rest would only distract. */
    private List<Advice> best() {
        List<Advice> enough = found.stream().filter(Advice::fits).toList();
        List<Advice> shown = enough.isEmpty()
                ? found.stream()
                        .sorted(Comparator.comparingLong(Advice::missing))
                        .toList()
                : enough;
        return shown.subList(0, Math.min(MOST, shown.size()));
    }

    private void onSchedule(ModelRun run) {
        ScheduleOptions options = planner.options();
        if (planner.layersOn().isPresent()) {
            DevicePlan filled = planner.filling().plan(run.build());
            filled.layers()
                    .layersOn()
                    .ifPresentOrElse(
                            counts -> add("--layers-on", counts, filled.missing()),
                            () -> add("no --layers-on", "", filled.missing()));
        }
        for (String name : Planner.names()) {
            if (!name.equals(options.planner().name())) {
                attempt("--planner", name, planner.with(options.withPlanner(Planner.named(name))), run);
            }
        }
        if (options.copies() > 1 && options.pipelineCopies() == PipelineCopies.EVERYWHERE) {
            ScheduleOptions lean = options.withPipelineCopies(PipelineCopies.WHERE_NEEDED);
            attempt("--lean-pipeline", "", planner.with(lean), run);
        }
        if (options.copies() > 1) {
            attempt("no --pipeline", "", planner.with(options.withPipeline(1)), run);
        }
        if (options.offloadsOps()) {
            attempt("no --offload", "", planner.with(options.withOffloadedOps(false)), run);
        }
    }

    private void onDecoder(DecoderRun run) {
        DecoderRun flash = run.withFlash(true);
        DecoderRun quantised = flash.withCacheType(ElementType.Q8_0);
        if (!run.flash()) {
            attempt("--flash", "", planner, flash);
        }
        if (!run.cacheType().isQuantized()) {
            attempt(withFlash(run, "--cache-type"), "q8_0", planner, quantised);
        }
        smallerContext(run);
        fewerTokens(run);
        if (run instanceof NamedDecoder named) {
            smallerWeights("--type", named);
            if (quantised instanceof NamedDecoder smaller && found.stream().noneMatch(Advice::fits)) {
                smallerWeights("--flash --cache-type q8_0 --type", smaller);
            }
        }
    }

    /** Files are run with flash attention by themselves where the cache is quantised, unless the user says no. */
    private static String withFlash(DecoderRun run, String option) {
        boolean asked = run instanceof FileDecoder file && file.options().attention() != Attention.PLAIN;
        return asked ? option : "--flash " + option;
    }

    private void onNetwork(NetworkRun run) {
        for (int batch = run.options().batch() / 2; batch >= 1 && found.stream().noneMatch(Advice::fits); batch /= 2) {
            attempt("--batch", String.valueOf(batch), planner, run.withBatch(batch));
        }
    }

    /** The first type that is small enough; a smaller one would lose more than needed. */
    private void smallerWeights(String option, NamedDecoder run) {
        double bits = bitsPerElement(run.weightType());
        for (ElementType type : SMALL_TYPES) {
            if (bitsPerElement(type) < bits && attempt(option, type.label(), planner, run.withWeightType(type))) {
                return;
            }
        }
    }

    private static double bitsPerElement(ElementType type) {
        return 8.0 * type.rowBytes(type.blockSize()) / type.blockSize();
    }

    /** The largest context that fits, in steps; or the smallest there is, if not even that fits. */
    private void smallerContext(DecoderRun run) {
        int fitting = Math.ceilDiv(run.tokens(), CONTEXT_STEP);
        int tooLarge = Math.ceilDiv(run.context(), CONTEXT_STEP);
        if (fitting >= tooLarge || !attempt(run, fitting)) {
            return;
        }
        while (tooLarge - fitting > 1) {
            int middle = (fitting + tooLarge) / 2;
            if (planner.plan(run.withContext(middle * CONTEXT_STEP).build()).fits()) {
                fitting = middle;
            } else {
                tooLarge = middle;
            }
        }
        attempt(run, fitting);
    }

    private boolean attempt(DecoderRun run, int steps) {
        int context = steps * CONTEXT_STEP;
        return attempt(run.contextOption(), String.valueOf(context), planner, run.withContext(context));
    }

    /** Half as many until they fit; a batch of very few is no way to work. */
    private void fewerTokens(DecoderRun run) {
        int tokens = run.tokens() / 2;
        while (tokens >= FEWEST_TOKENS
                && !attempt(run.tokensOption(), String.valueOf(tokens), planner, run.withTokens(tokens))) {
            tokens /= 2;
        }
    }

    /** Takes a change down if it helps, and answers whether it is enough. */
    private boolean attempt(String option, String value, DevicePlanner by, ModelRun run) {
        try {
            return add(option, value, by.plan(run.build()).missing());
        } catch (StowageException _) {
            // What this model cannot be is no advice.
            return false;
        }
    }

    /** Of several values for the same option the last one tried is the best. */
    private boolean add(String option, String value, long stillMissing) {
        found.removeIf(advice -> advice.option().equals(option));
        if (stillMissing < missing) {
            found.add(new Advice(option, value, stillMissing));
        }
        return stillMissing == 0;
    }
}
