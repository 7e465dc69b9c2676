package dev.stowage.llm.tokenizer;

/**
 * How text becomes tokens.
 *
 * @param addSpecial whether begin and end of text are added where the model asks for them
 * @param parseSpecial whether the names of control tokens in the text become these tokens, rather than plain text.
 *     Never for untrusted text, which could then end a message or begin another.
 */
public record EncodeOptions(boolean addSpecial, boolean parseSpecial) {

    /** A prompt as a user writes it. */
    public static final EncodeOptions PROMPT = new EncodeOptions(true, false);

    /** A prompt that a chat template made, with control tokens written out. */
    public static final EncodeOptions CHAT = new EncodeOptions(true, true);

    /** A piece of text and nothing else. */
    public static final EncodeOptions TEXT = new EncodeOptions(false, false);
}
