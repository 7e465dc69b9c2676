package dev.stowage.llm.fit;

import dev.stowage.error.StowageException;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * How large a context can be before a model no longer fits. It is found by planning, in steps of as many tokens as graphs
 * grow by.
 *
 * @param withAsManyOff with no more layers on the processor than now, or with the layers that were asked for; 0 if none fits
 * @param withAnyLayers with layers moved to the processor where that makes room; 0 if none fits
 * @param trained what the model was trained with; more than this is only looked for where it was asked for
 */
public record LargestContext(int withAsManyOff, int withAnyLayers, int trained) {
    static Optional<LargestContext> of(DevicePlanner planner, Workload workload, DevicePlan plan) {
        boolean limited = planner.devices().stream().anyMatch(DeviceBudget::isLimited);
        return limited && workload instanceof DecoderWorkload decoder
                ? Optional.of(search(planner, decoder, plan))
                : Optional.empty();
    }

    private static LargestContext search(DevicePlanner planner, DecoderWorkload workload, DevicePlan plan) {
        DevicePlanner quick = planner.withQuickPlacement();
        int off = off(plan);
        int known = plan.fits() ? workload.context() : 0;
        int asManyOff = largest(workload, known, model -> {
            DevicePlan larger = quick.plan(model);
            return larger.fits() && off(larger) >= off;
        });
        int any = off == 0 || planner.layersOn().isPresent() || asManyOff >= limit(workload)
                ? asManyOff
                : largest(workload, asManyOff, model -> quick.plan(model).fits());
        return new LargestContext(asManyOff, any, workload.trainedContext());
    }

    /** How many parts of the model are off the processor. */
    private static int off(DevicePlan plan) {
        return IntStream.of(plan.layers().parts()).sum();
    }

    private static int limit(DecoderWorkload workload) {
        return Math.max(workload.trainedContext(), workload.context());
    }

    private static int largest(DecoderWorkload workload, int known, Predicate<Workload> fits) {
        int limit = limit(workload);
        if (known >= limit || fits(workload, limit, fits)) {
            return limit;
        }
        int step = workload.contextStep();
        int fitting = known / step;
        int tooLarge = Math.ceilDiv(limit, step);
        while (tooLarge - fitting > 1) {
            int middle = fitting + (tooLarge - fitting) / 2;
            if (fits(workload, middle * step, fits)) {
                fitting = middle;
            } else {
                tooLarge = middle;
            }
        }
        return Math.max(known, fitting * step);
    }

    private static boolean fits(DecoderWorkload workload, int context, Predicate<Workload> fits) {
        try {
            DecoderWorkload fewer = workload.tokens() > context ? workload.withTokens(context) : workload;
            return fits.test(fewer.withContext(context));
        } catch (StowageException _) {
            // What has more bytes than can be counted does not fit.
            return false;
        }
    }
}
