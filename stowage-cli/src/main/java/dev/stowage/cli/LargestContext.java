package dev.stowage.cli;

import dev.stowage.error.StowageException;
import dev.stowage.schedule.Placement;
import java.util.Optional;
import java.util.function.IntPredicate;
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
    private static final int STEP = 256;

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
        // Where attention becomes flash by itself it takes less again, so what is beyond comes first.
        int flash = last(fitting, tooLarge, steps -> !at(run, steps * STEP).flash()) + 1;
        if (flash < tooLarge && fits(run, flash * STEP, fits)) {
            fitting = flash;
        }
        return Math.max(known, last(fitting, tooLarge, steps -> fits(run, steps * STEP, fits)) * STEP);
    }

    /** The last number below one that does not hold for which something holds, as it does for the first. */
    private static int last(int first, int end, IntPredicate holds) {
        int low = first;
        int high = end;
        while (high - low > 1) {
            int middle = low + (high - low) / 2;
            if (holds.test(middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static DecoderRun at(DecoderRun run, int context) {
        DecoderRun fewer = run.tokens() > context ? run.withTokens(context) : run;
        return fewer.withContext(context);
    }

    private static boolean fits(DecoderRun run, int context, Predicate<ModelPasses> fits) {
        try {
            return fits.test(at(run, context).build());
        } catch (StowageException _) {
            // What has more bytes than can be counted does not fit.
            return false;
        }
    }
}
