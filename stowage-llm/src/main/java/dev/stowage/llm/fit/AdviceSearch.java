package dev.stowage.llm.fit;

import dev.stowage.error.StowageException;
import dev.stowage.plan.Planner;
import dev.stowage.schedule.PipelineCopies;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.tensor.ElementType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Looks for what would help where a model does not fit. Nothing is estimated: each change has been planned like the model
 * itself, and comes with what would still be missing.
 */
final class AdviceSearch {
    private static final int MOST = 5;
    private static final int FEWEST_TOKENS = 32;
    private static final ElementType SMALL_CACHE = ElementType.Q8_0;
    private static final List<ElementType> SMALL_TYPES = List.of(ElementType.Q8_0, ElementType.Q4_K);

    /** A change that weights get another type with. */
    private interface TypeChange {
        FitChange to(ElementType type);
    }

    private final DevicePlanner planner;
    private final long missing;
    private final List<FitAdvice> found = new ArrayList<>();

    private AdviceSearch(DevicePlanner planner, long missing) {
        this.planner = planner;
        this.missing = missing;
    }

    /** What helps, first what is enough by itself; empty if the plan fits, or if nothing helps. */
    static List<FitAdvice> of(DevicePlanner planner, Workload workload, DevicePlan plan) {
        if (plan.fits()) {
            return List.of();
        }
        AdviceSearch search = new AdviceSearch(planner.withQuickPlacement(), plan.missing());
        search.onSchedule(workload);
        switch (workload) {
            case DecoderWorkload decoder -> search.onDecoder(decoder);
            case ImageNetwork network -> search.onNetwork(network);
        }
        return search.best();
    }

    /** If something is enough by itself, the rest would only distract. */
    private List<FitAdvice> best() {
        List<FitAdvice> enough = found.stream().filter(FitAdvice::fits).toList();
        List<FitAdvice> shown = enough.isEmpty()
                ? found.stream()
                        .sorted(Comparator.comparingLong(FitAdvice::missing))
                        .toList()
                : enough;
        return List.copyOf(shown.subList(0, Math.min(MOST, shown.size())));
    }

    private boolean isNothingEnough() {
        return found.stream().noneMatch(FitAdvice::fits);
    }

    private void onSchedule(Workload workload) {
        ScheduleOptions options = planner.options();
        if (planner.layersOn().isPresent()) {
            DevicePlan filled = planner.withFilledDevices().plan(workload);
            add(
                    filled.layers()
                            .layerCounts()
                            .<FitChange>map(FitChange.LayersOn::new)
                            .orElseGet(FitChange.FillDevices::new),
                    filled.missing());
        }
        for (String name : Planner.names()) {
            if (!name.equals(options.planner().name())) {
                attempt(new FitChange.UsePlanner(name), options.withPlanner(Planner.named(name)), workload);
            }
        }
        if (options.copies() > 1 && options.pipelineCopies() == PipelineCopies.EVERYWHERE) {
            attempt(new FitChange.LeanPipeline(), options.withPipelineCopies(PipelineCopies.WHERE_NEEDED), workload);
        }
        if (options.copies() > 1) {
            attempt(new FitChange.NoPipeline(), options.withPipeline(1), workload);
        }
        if (options.offloadsOps()) {
            attempt(new FitChange.NoOffload(), options.withOffloadedOps(false), workload);
        }
    }

    private void onDecoder(DecoderWorkload decoder) {
        DecoderWorkload flash = decoder.withFlash(true);
        DecoderWorkload quantised = flash.withCacheType(SMALL_CACHE);
        if (!decoder.flash()) {
            attempt(new FitChange.FusedAttention(), flash);
        }
        // An encoder has no cache, and all tokens of its context go through it at once.
        boolean encodes = decoder.shape().isEncoder();
        if (!encodes && !decoder.cacheType().isQuantized()) {
            attempt(new FitChange.CacheType(SMALL_CACHE), quantised);
        }
        smallerContext(decoder, encodes ? 1 : decoder.tokens());
        if (!encodes) {
            fewerTokens(decoder);
        }
        if (decoder instanceof NamedDecoder named) {
            smallerWeights(FitChange.WeightType::new, named);
            if (quantised instanceof NamedDecoder smaller && isNothingEnough()) {
                smallerWeights(type -> new FitChange.WeightAndCacheType(type, SMALL_CACHE), smaller);
            }
        }
    }

    private void onNetwork(ImageNetwork network) {
        for (int batch = network.options().batch() / 2; batch >= 1 && isNothingEnough(); batch /= 2) {
            attempt(new FitChange.Images(batch), network.withBatch(batch));
        }
    }

    /** The first type that is small enough; a smaller one would lose more than needed. */
    private void smallerWeights(TypeChange change, NamedDecoder decoder) {
        double bits = bitsPerElement(decoder.weightType());
        for (ElementType type : SMALL_TYPES) {
            if (bitsPerElement(type) < bits && attempt(change.to(type), decoder.withWeightType(type))) {
                return;
            }
        }
    }

    private static double bitsPerElement(ElementType type) {
        return 8.0 * type.rowBytes(type.blockSize()) / type.blockSize();
    }

    /** The largest context that fits, in steps; or the smallest there is, if not even that fits. */
    private void smallerContext(DecoderWorkload decoder, int smallest) {
        int step = decoder.contextStep();
        int fitting = Math.ceilDiv(smallest, step);
        int tooLarge = Math.ceilDiv(decoder.context(), step);
        if (fitting >= tooLarge || !attempt(decoder, fitting)) {
            return;
        }
        while (tooLarge - fitting > 1) {
            int middle = (fitting + tooLarge) / 2;
            if (planner.plan(decoder.withContext(middle * step)).fits()) {
                fitting = middle;
            } else {
                tooLarge = middle;
            }
        }
        attempt(decoder, fitting);
    }

    private boolean attempt(DecoderWorkload decoder, int steps) {
        int context = steps * decoder.contextStep();
        return attempt(new FitChange.Context(context), decoder.withContext(context));
    }

    /** Half as many until they fit; very small batches are too slow to be advised. */
    private void fewerTokens(DecoderWorkload decoder) {
        int tokens = decoder.tokens() / 2;
        while (tokens >= FEWEST_TOKENS && !attempt(new FitChange.Tokens(tokens), decoder.withTokens(tokens))) {
            tokens /= 2;
        }
    }

    private boolean attempt(FitChange change, Workload changed) {
        return attempt(change, planner, changed);
    }

    private void attempt(FitChange change, ScheduleOptions changed, Workload workload) {
        attempt(change, planner.withOptions(changed), workload);
    }

    /** Records a change if it helps, and returns whether it is enough. */
    private boolean attempt(FitChange change, DevicePlanner by, Workload workload) {
        try {
            return add(change, by.plan(workload).missing());
        } catch (StowageException _) {
            // What this model cannot be is not advised.
            return false;
        }
    }

    /** Of several values for the same change the last one tried is the best. */
    private boolean add(FitChange change, long stillMissing) {
        found.removeIf(advice -> advice.change().getClass() == change.getClass());
        if (stillMissing < missing) {
            found.add(new FitAdvice(change, stillMissing));
        }
        return stillMissing == 0;
    }
}
