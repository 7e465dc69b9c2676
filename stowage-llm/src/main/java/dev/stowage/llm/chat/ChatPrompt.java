package dev.stowage.llm.chat;

import dev.stowage.llm.tokenizer.EncodeOptions;
import dev.stowage.llm.tokenizer.Tokenizer;
import java.util.BitSet;
import java.util.OptionalInt;

/**
 * A conversation as text, in which text of the template and text of messages are distinguished. Only the template writes
 * control tokens: a message that contains {@code <|im_end|>} does not end.
 */
public final class ChatPrompt {

    private final String text;

    /** The characters that people said. */
    private final BitSet said;

    ChatPrompt(String text, BitSet said) {
        this.text = text;
        this.said = said;
    }

    /** The whole text. */
    public String text() {
        return text;
    }

    /**
     * The tokens of it, with those that the model wants around every text. Where the template itself wrote the token of
     * the beginning and the tokenizer adds one, there is one.
     */
    public int[] encode(Tokenizer tokenizer) {
        int skipped = writtenBeginning(tokenizer);
        return tokenizer.encode(text.substring(skipped), EncodeOptions.CHAT, said.get(skipped, text.length()));
    }

    /** The length of the token of the beginning at the start of the text, if the tokenizer adds it anyway; else 0. */
    private int writtenBeginning(Tokenizer tokenizer) {
        OptionalInt bos = tokenizer.addsBos() ? tokenizer.vocabulary().bos() : OptionalInt.empty();
        if (bos.isEmpty()) {
            return 0;
        }
        String written = tokenizer.vocabulary().text(bos.getAsInt());
        int firstSaid = said.nextSetBit(0);
        boolean byTemplate = firstSaid < 0 || firstSaid >= written.length();
        return text.startsWith(written) && byTemplate ? written.length() : 0;
    }

    /** This prompt and a text of the template after it, such as the beginning of what the model is to write. */
    public ChatPrompt append(String mark) {
        return new ChatPrompt(text + mark, said);
    }

    /** The characters that the template did not write. */
    BitSet said() {
        return said;
    }

    /** Whether both have the same text, written by the template in the same places. */
    boolean isSameAs(ChatPrompt other) {
        return text.equals(other.text) && said.equals(other.said);
    }

    @Override
    public String toString() {
        return text;
    }

    /** Puts a prompt together. */
    static final class Builder {

        private final StringBuilder text = new StringBuilder();
        private final BitSet said = new BitSet();

        /** Adds what belongs to the template. */
        Builder mark(String mark) {
            text.append(mark);
            return this;
        }

        /** Adds what someone said. */
        Builder said(String content) {
            said.set(text.length(), text.length() + content.length());
            text.append(content);
            return this;
        }

        ChatPrompt build() {
            return new ChatPrompt(text.toString(), said);
        }
    }
}
