package dev.stowage.cli;

import dev.stowage.error.StowageException;
import dev.stowage.llm.Session;
import dev.stowage.schedule.Placement;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * How large a context can be before a model no longer fits. It is found by planning, like everything else, in steps of as
 * many tokens as graphs grow by.
 *
 * @param withAsManyOff with no more layers on the processor than now, or with the layers that were asked for; 0 if none fits
 * @param withAnyLayers with layers moved to the processor where that makes room; 0 if none fits
 * @param trained what the model was trained with; more than this is only looked for where it was asked for
 */
record LargestContext(int withAsManyOff, int withAnyLayers, int trained) {
    private static final int STEP = Session.CELL_STEP;

    /** The largest context for a plan; none for models that have no context, or where memory has no end. */
    static Optional<LargestContext> of(DevicePlanner planner, ModelRun run, DevicePlan plan) {
        boolean limited = planner.machine().devices().stream().anyMatch(DeviceSpec::isLimited);
        return limited && run instanceof DecoderRun decoder
                ? Optional.of(search(planner, decoder, plan))
                : Optional.empty();
    }

    private static LargestContext search(DevicePlanner planner, DecoderRun run, DevicePlan plan) {
        // Any other placement keeps to the memory that ggml's takes, but takes longer to be found.
        DevicePlanner quick = planner.with(planner.options().withPlacement(Placement.ggml()));
        int off = off(plan);
        int known = plan.fits() ? run.context() : 0;
        int asManyOff = largest(run, known, model -> {
            DevicePlan larger = quick.plan(model);
            return larger.fits() && off(larger) >= off;
        });
        int any = off == 0 || planner.layersOn().isPresent() || asManyOff >= limit(run)
                ? asManyOff
                : largest(run, asManyOff, model -> quick.plan(model).fits());
        return new LargestContext(asManyOff, any, run.trainedContext());
    }

    /** How many parts of the model are off the processor. */
    private static int off(DevicePlan plan) {
        return IntStream.of(plan.layers().parts()).sum();
    }

    private static int limit(DecoderRun run) {
        return Math.max(run.trainedContext(), run.context());
    }

    private static int largest(DecoderRun run, int known, Predicate<ModelPasses> fits) {
        int limit = limit(run);
        if (known >= limit || fits(run, limit, fits)) {
            return limit;
        }
        int fitting = known / STEP;
        int tooLarge = Math.ceilDiv(limit, STEP);
        while (tooLarge - fitting > 1) {
            int middle = fitting + (tooLarge - fitting) / 2;
            if (fits(run, middle * STEP, fits)) {
                fitting = middle;
            } else {
                tooLarge = middle;
            }
        }
        return Math.max(known, fitting * STEP);
    }

    private static boolean fits(DecoderRun run, int context, Predicate<ModelPasses> fits) {
        try {
            DecoderRun fewer = run.tokens() > context ? run.withTokens(context) : run;
            return fits.test(fewer.withContext(context).build());
        } catch (StowageException _) {
            // What has more bytes than can be counted does not fit.
            return false;
        }
    }
}
