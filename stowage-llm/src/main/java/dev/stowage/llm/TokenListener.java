package dev.stowage.llm;

/** Is notified of every token as it is generated. */
@FunctionalInterface
public interface TokenListener {

    /** Hears nothing. */
    TokenListener NONE = (_, _) -> {};

    /**
     * A token was generated.
     *
     * @param token its number
     * @param text the characters that are complete with it; may be empty, and never has half a character
     */
    void token(int token, String text);
}
