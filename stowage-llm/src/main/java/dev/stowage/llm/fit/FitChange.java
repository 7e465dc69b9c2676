package dev.stowage.llm.fit;

import dev.stowage.tensor.ElementType;
import java.util.List;

/** Something that can be changed about how a model is run, so that it takes less memory. */
public sealed interface FitChange {

    /** Have so many layers on each device but the last. */
    record LayersOn(List<Integer> counts) implements FitChange {
        public LayersOn {
            counts = List.copyOf(counts);
        }
    }

    /** Fill the devices in order, with a split that no numbers of layers ask for. */
    record FillDevices() implements FitChange {}

    /** Plan memory with the planner of that name. */
    record UsePlanner(String name) implements FitChange {}

    /** Copy for batches in flight only what they could overwrite for each other. */
    record LeanPipeline() implements FitChange {}

    /** Have one batch in flight at a time. */
    record NoPipeline() implements FitChange {}

    /** Compute ops where their weights are. */
    record NoOffload() implements FitChange {}

    /** Compute attention as one fused op. */
    record FusedAttention() implements FitChange {}

    /** Keep keys and values in that type, which needs fused attention if it is quantised. */
    record CacheType(ElementType type) implements FitChange {}

    /** Have room for so many tokens. */
    record Context(int tokens) implements FitChange {}

    /** Have so many tokens go through at once. */
    record Tokens(int tokens) implements FitChange {}

    /** Have so many images go through at once. */
    record Images(int images) implements FitChange {}

    /** Have weights of that type. */
    record WeightType(ElementType type) implements FitChange {}

    /** Have weights of one type, and keys and values of another, with fused attention. */
    record WeightAndCacheType(ElementType type, ElementType cacheType) implements FitChange {}
}
