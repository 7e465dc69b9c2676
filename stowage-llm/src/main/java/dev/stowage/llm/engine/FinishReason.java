package dev.stowage.llm.engine;

/** Why a completion ended. */
public enum FinishReason {
    /** The model ended the text, or its grammar allows nothing more. */
    END_OF_TEXT,
    /** One of the stop strings of the request came up. */
    STOP_STRING,
    /** There were as many tokens as the request allows. */
    MAX_TOKENS,
    /** The part of the context that the request was given is full. */
    CONTEXT_FULL,
    /** It was cancelled, or the engine was closed. */
    CANCELLED,
    /** Its time was up. */
    TIME_LIMIT
}
