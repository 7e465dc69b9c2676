package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Layers in which a token looks only at so many tokens before it, itself included. Their caches need cells for no more
 * than these, which is what makes long contexts cheap.
 *
 * @param size how many tokens a token looks at; 0 where no layer has a window
 * @param pattern which layers have it: element {@code i % pattern.size()} for layer {@code i}
 * @param rope how positions are brought in in these layers; null where it is as in the others
 */
public record AttentionWindow(
        int size, List<Boolean> pattern, @Nullable RopeShape rope) {

    /** No layer has a window. */
    public static final AttentionWindow NONE = new AttentionWindow(0, List.of(false), null);

    /** Caches of windows grow in steps of so many cells. */
    private static final int STEP = 256;

    public AttentionWindow {
        pattern = List.copyOf(pattern);
        if (size < 0 || pattern.isEmpty()) {
            throw new InvalidGraphException(
                    "a window of attention is at least 1 token and has a pattern of layers, not " + size);
        }
    }

    /**
     * A window in all layers but every {@code period}-th.
     *
     * @param period 6 where five layers with a window are followed by one without
     */
    public static AttentionWindow inAllButEvery(int period, int size, @Nullable RopeShape rope) {
        Boolean[] pattern = new Boolean[Math.max(1, period)];
        for (int layer = 0; layer < pattern.length; layer++) {
            pattern[layer] = period < 1 || layer < period - 1;
        }
        return new AttentionWindow(size, List.of(pattern), rope);
    }

    /** Whether a layer has the window. */
    public boolean isIn(int layer) {
        return size > 0 && pattern.get(layer % pattern.size());
    }

    /** How positions are brought in in these layers, where it is not as in the others. */
    RopeShape ropeOr(RopeShape others) {
        return Objects.requireNonNullElse(rope, others);
    }

    /**
     * How many cells the cache of such a layer has: as many as the windows of all sequences and the tokens of a pass take.
     *
     * @param context how many tokens all sequences may have
     * @param tokens how many tokens go through at once
     * @param sequences how many sequences there may be
     */
    public int cells(int context, int tokens, int sequences) {
        long needed = (long) size * sequences + tokens;
        long padded = Math.ceilDiv(needed, (long) STEP) * STEP;
        return size == 0 ? context : (int) Math.min(context, padded);
    }
}
