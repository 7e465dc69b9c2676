package dev.stowage.llm.tokenizer;

import dev.stowage.error.AccessException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Text out of one token after the other. A character may be spread over several tokens: it comes out whole, with the
 * token that completes it, and never in part. What is not UTF-8 comes out as U+FFFD, exactly as if all bytes were read
 * at once.
 */
public final class TokenStream {

    private final Vocabulary vocabulary;
    private final TokenPieces pieces;
    private final boolean special;

    /** Bytes that have not come out yet. */
    private byte[] held = new byte[64];

    private int count;

    /** Whether a blank at the very beginning is one that encoding put there. */
    private boolean dropBlank;

    TokenStream(Vocabulary vocabulary, TokenPieces pieces, boolean special, boolean dropBlank) {
        this.vocabulary = vocabulary;
        this.pieces = pieces;
        this.special = special;
        this.dropBlank = dropBlank;
    }

    /**
     * The characters that are complete with this token; often one word, sometimes none at all.
     *
     * @throws AccessException if there is no such token
     */
    public String next(int token) {
        append(token);
        int whole = wholeCharacters();
        if (whole == 0) {
            return "";
        }
        String text = new String(held, 0, whole, StandardCharsets.UTF_8);
        System.arraycopy(held, whole, held, 0, count - whole);
        count -= whole;
        return text;
    }

    /** What is left when no token follows: a character that was never completed, as U+FFFD. */
    public String finish() {
        String rest = new String(held, 0, count, StandardCharsets.UTF_8);
        count = 0;
        return rest;
    }

    private void append(int token) {
        vocabulary.require(token);
        if (!special && vocabulary.type(token).isHidden()) {
            return;
        }
        int start = pieces.start(token);
        int end = pieces.end(token);
        if (dropBlank && start < end) {
            dropBlank = false;
            start += pieces.bytes()[start] == ' ' ? 1 : 0;
        }
        int length = end - start;
        if (held.length - count < length) {
            held = Arrays.copyOf(held, Math.max(2 * held.length, count + length));
        }
        System.arraycopy(pieces.bytes(), start, held, count, length);
        count += length;
    }

    /** How many bytes come before a character that has only begun. */
    private int wholeCharacters() {
        for (int back = 1; back <= Math.min(3, count); back++) {
            int b = Byte.toUnsignedInt(held[count - back]);
            if (b < 0x80 || b > 0xBF) {
                int needed = b < 0xC2 || b > 0xF4 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
                return needed > back ? count - back : count;
            }
        }
        return count;
    }
}
