package dev.stowage.cli;

import dev.stowage.error.StowageException;
import dev.stowage.models.ModelGraph;
import dev.stowage.models.ResNetGraph;
import dev.stowage.models.ResNetOptions;
import dev.stowage.models.ResNetShape;
import dev.stowage.models.TransformerGraph;
import dev.stowage.models.TransformerOptions;
import dev.stowage.models.TransformerShape;
import dev.stowage.plan.Planner;
import dev.stowage.schedule.PipelineCopies;
import dev.stowage.schedule.Placement;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.tensor.ElementType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;

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
    static List<Advice> of(DevicePlanner planner, ModelOptions.Run run, DevicePlan plan) {
        if (plan.fits()) {
            return List.of();
        }
        // Any other placement keeps to the memory that ggml's takes, but takes longer to be found.
        DevicePlanner quick = planner.with(planner.options().withPlacement(Placement.ggml()));
        FitAdvice advice = new FitAdvice(quick, plan.missing());
        // Models are made anew, as planning one moves its weights, and those of the plan at hand shall stay.
        TransformerOptions transformer = run.transformer();
        if (transformer != null && run.model().shape() instanceof TransformerShape shape) {
            advice.onSchedule(() -> TransformerGraph.of(shape, transformer));
            advice.onTransformer(shape, transformer);
        }
        ResNetOptions network = run.resNet();
        if (network != null && run.model().shape() instanceof ResNetShape shape) {
            advice.onSchedule(() -> ResNetGraph.of(shape, network));
            advice.onNetwork(shape, network);
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

    private void onSchedule(Supplier<ModelGraph> model) {
        ScheduleOptions options = planner.options();
        if (planner.layersOn().isPresent()) {
            DevicePlan filled = planner.filling().plan(model.get());
            filled.layers()
                    .layersOn()
                    .ifPresentOrElse(
                            counts -> add("--layers-on", counts, filled.missing()),
                            () -> add("no --layers-on", "", filled.missing()));
        }
        for (String name : Planner.names()) {
            if (!name.equals(options.planner().name())) {
                attempt("--planner", name, planner.with(options.withPlanner(Planner.named(name))), model);
            }
        }
        if (options.copies() > 1 && options.pipelineCopies() == PipelineCopies.EVERYWHERE) {
            ScheduleOptions lean = options.withPipelineCopies(PipelineCopies.WHERE_NEEDED);
            attempt("--lean-pipeline", "", planner.with(lean), model);
        }
        if (options.copies() > 1) {
            attempt("no --pipeline", "", planner.with(options.withPipeline(1)), model);
        }
        if (options.offloadsOps()) {
            attempt("no --offload", "", planner.with(options.withOffloadedOps(false)), model);
        }
    }

    private void onTransformer(TransformerShape shape, TransformerOptions options) {
        TransformerOptions flash = options.withFlash(true);
        TransformerOptions quantised = flash.withCacheType(ElementType.Q8_0);
        if (!options.flash()) {
            attempt("--flash", "", shape, flash);
        }
        if (!options.cacheType().isQuantized()) {
            attempt("--flash --cache-type", "q8_0", shape, quantised);
        }
        smallerContext(shape, options);
        fewerTokens(shape, options);
        smallerWeights("--type", shape, options);
        if (found.stream().noneMatch(Advice::fits)) {
            smallerWeights("--flash --cache-type q8_0 --type", shape, quantised);
        }
    }

    private void onNetwork(ResNetShape shape, ResNetOptions options) {
        for (int batch = options.batch() / 2; batch >= 1 && found.stream().noneMatch(Advice::fits); batch /= 2) {
            ResNetOptions fewer = new ResNetOptions(batch, options.weightType());
            attempt("--batch", String.valueOf(batch), planner, () -> ResNetGraph.of(shape, fewer));
        }
    }

    /** The first type that is small enough; a smaller one would lose more than needed. */
    private void smallerWeights(String option, TransformerShape shape, TransformerOptions options) {
        double bits = bitsPerElement(options.weightType());
        for (ElementType type : SMALL_TYPES) {
            if (bitsPerElement(type) < bits && attempt(option, type.label(), shape, options.withWeightType(type))) {
                return;
            }
        }
    }

    private static double bitsPerElement(ElementType type) {
        return 8.0 * type.rowBytes(type.blockSize()) / type.blockSize();
    }

    /** The largest context that fits, in steps; or the smallest there is, if not even that fits. */
    private void smallerContext(TransformerShape shape, TransformerOptions options) {
        int fitting = Math.ceilDiv(options.tokens(), CONTEXT_STEP);
        int tooLarge = Math.ceilDiv(options.context(), CONTEXT_STEP);
        if (fitting >= tooLarge || !attempt(shape, options, fitting)) {
            return;
        }
        while (tooLarge - fitting > 1) {
            int middle = (fitting + tooLarge) / 2;
            if (planner.plan(TransformerGraph.of(shape, options.withContext(middle * CONTEXT_STEP)))
                    .fits()) {
                fitting = middle;
            } else {
                tooLarge = middle;
            }
        }
        attempt(shape, options, fitting);
    }

    private boolean attempt(TransformerShape shape, TransformerOptions options, int steps) {
        int context = steps * CONTEXT_STEP;
        return attempt("--context", String.valueOf(context), shape, options.withContext(context));
    }

    /** Half as many until they fit; a batch of very few is no way to work. */
    private void fewerTokens(TransformerShape shape, TransformerOptions options) {
        int tokens = options.tokens() / 2;
        while (tokens >= FEWEST_TOKENS
                && !attempt("--tokens", String.valueOf(tokens), shape, withTokens(options, tokens))) {
            tokens /= 2;
        }
    }

    private static TransformerOptions withTokens(TransformerOptions options, int tokens) {
        return new TransformerOptions(
                tokens,
                options.context(),
                Math.min(tokens, options.outputs()),
                options.flash(),
                options.weightType(),
                options.cacheType());
    }

    private boolean attempt(String option, String value, TransformerShape shape, TransformerOptions options) {
        return attempt(option, value, planner, () -> TransformerGraph.of(shape, options));
    }

    /** Takes a change down if it helps, and answers whether it is enough. */
    private boolean attempt(String option, String value, DevicePlanner by, Supplier<ModelGraph> model) {
        try {
            return add(option, value, by.plan(model.get()).missing());
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
