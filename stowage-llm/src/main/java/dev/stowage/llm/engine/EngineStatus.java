package dev.stowage.llm.engine;

import dev.stowage.error.DeviceLostException;
import java.util.List;
import java.util.Optional;

/**
 * What an engine does, and has done since it was opened.
 *
 * @param slots a slot for each request that can run at once
 * @param queued how many requests wait for a slot
 * @param cells how many tokens the cache has room for
 * @param freeCells how many more there is room for now; what finished requests left for later ones to share is not free
 * @param counters what was done
 * @param loss why no request can run any more: a device is lost, with what it held; empty as long as the engine works
 */
public record EngineStatus(
        List<SlotStatus> slots,
        int queued,
        int cells,
        int freeCells,
        Counters counters,
        Optional<DeviceLostException> loss) {

    public EngineStatus {
        slots = List.copyOf(slots);
    }

    /** What a slot is at. */
    public enum SlotState {
        /** No request; it may hold tokens of an earlier one. */
        IDLE,
        /** Another slot reads the same beginning, which it will share. */
        WAITING,
        /** The prompt is being read. */
        READING,
        /** Tokens are generated. */
        GENERATING
    }

    /**
     * A slot.
     *
     * @param request the number of its request, or of the last one; 0 if it had none
     * @param tokens how many tokens it has in the cache
     * @param promptTokens how many tokens the prompt has
     * @param cachedTokens how many of these were in the cache already
     * @param generatedTokens how many tokens were generated
     * @param limit how many tokens prompt and text may have together
     */
    public record SlotStatus(
            SlotState state,
            long request,
            int tokens,
            int promptTokens,
            int cachedTokens,
            int generatedTokens,
            int limit) {}

    /**
     * What was done since the engine was opened.
     *
     * @param steps passes through the model
     * @param slotSteps for every pass, how many slots took part, in all
     * @param promptTokens tokens of prompts that were read
     * @param cachedTokens tokens of prompts that were in the cache already
     * @param generatedTokens tokens that were generated
     * @param promptNanos time of passes that read prompts, in which others may generate
     * @param generationNanos time of the other passes
     * @param finished requests that ended, cancelled ones and failed ones among them
     * @param failed requests that a device or the model failed
     * @param mostTokens the most tokens that a slot has had
     */
    public record Counters(
            long steps,
            long slotSteps,
            long promptTokens,
            long cachedTokens,
            long generatedTokens,
            long promptNanos,
            long generationNanos,
            long finished,
            long failed,
            int mostTokens) {}
}
