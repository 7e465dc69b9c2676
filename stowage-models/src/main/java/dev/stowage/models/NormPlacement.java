package dev.stowage.models;

/** Where the norms of a layer are: before attention and feed-forward network, after them, or both. */
public enum NormPlacement {
    /** Before, as in the Llama family. */
    BEFORE,
    /** After, as in OLMo 2. */
    AFTER,
    /** Before and after, as in Gemma. */
    AROUND;

    boolean isBefore() {
        return this != AFTER;
    }

    boolean isAfter() {
        return this != BEFORE;
    }
}
