package dev.stowage.llm.tokenizer;

import java.util.List;

/** What a token is, by its number in {@code tokenizer.ggml.token_type}. */
public enum TokenType {
    /** Of no known kind; written as nothing. */
    UNDEFINED,
    /** Text. */
    NORMAL,
    /** Stands for what the vocabulary cannot say. */
    UNKNOWN,
    /** Controls the model, and is not text: begin and end of text, of messages in a chat. */
    CONTROL,
    /** Text that is always cut out whole. */
    USER_DEFINED,
    /** A place in the vocabulary that nothing uses; written as nothing. */
    UNUSED,
    /** One byte, for characters that have no token. */
    BYTE;

    private static final List<TokenType> ALL = List.of(values());

    /** The type of a number; numbers that are none give {@link #UNDEFINED}. */
    static TokenType of(long number) {
        return number >= 0 && number < ALL.size() ? ALL.get((int) number) : UNDEFINED;
    }

    /** Whether it is left out of text unless it is asked for. */
    public boolean isHidden() {
        return this == CONTROL || this == UNKNOWN;
    }
}
