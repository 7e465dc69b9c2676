package dev.stowage.llm.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * WordPiece, as BERT has it: words one after the other, each cut into the longest token that it begins with, then the longest
 * one that the rest begins with, and so on. In files a token that begins a word is written with U+2581 before it. A word with
 * a rest that no token begins is the unknown token as a whole.
 *
 * <p>The longest token from each character on is found in one pass over the word from its end, as the longest that ends there
 * when it is read backwards; so time and memory are proportional to the text, whatever tokens there are.
 *
 * <pre>
 *   tokens ▁un, ▁, u, n, able      word     ▁ u n a b l e
 *                                  longest  3 1 1 4 - - -   ─► ▁un able
 * </pre>
 */
final class WordPieceEncoder implements Encoder {

    private static final char BLANK = '\u2581';

    private final Vocabulary vocabulary;
    private final WordPieceText rules;

    /** All tokens backwards; the number of a word is the id of the token. */
    private final TextAutomaton backwards;

    WordPieceEncoder(Vocabulary vocabulary, WordPieceText rules) {
        this.vocabulary = vocabulary;
        this.rules = rules;
        List<String> reversed = new ArrayList<>(vocabulary.size());
        for (int id = 0; id < vocabulary.size(); id++) {
            reversed.add(backwards(vocabulary.text(id)));
        }
        this.backwards = new TextAutomaton(reversed);
    }

    /** By characters, where a reversed {@link StringBuilder} keeps surrogate pairs in order. */
    private static String backwards(String text) {
        char[] chars = new char[text.length()];
        for (int i = 0; i < chars.length; i++) {
            chars[i] = text.charAt(chars.length - 1 - i);
        }
        return new String(chars);
    }

    @Override
    public void encode(String text, TokenList out) {
        int[] longest = new int[0];
        for (String word : rules.words(text)) {
            String whole = BLANK + word;
            longest = longest.length < whole.length() ? new int[2 * whole.length()] : longest;
            findLongest(whole, longest);
            encodeWord(whole.length(), longest, out);
        }
    }

    /** Sets for each character the longest token that begins there, -1 for none. */
    private void findLongest(String word, int[] longest) {
        int node = 0;
        for (int i = word.length() - 1; i >= 0; i--) {
            node = backwards.step(node, word.charAt(i));
            longest[i] = backwards.word(node);
        }
    }

    private void encodeWord(int length, int[] longest, TokenList out) {
        for (int at = 0; at < length; at += backwards.length(longest[at])) {
            if (longest[at] < 0) {
                vocabulary.unknown().ifPresent(out::add);
                return;
            }
        }
        for (int at = 0; at < length; at += backwards.length(longest[at])) {
            out.add(longest[at]);
        }
    }

    @Override
    public byte[] bytes(String token) {
        return token.replace(BLANK, ' ').getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean addsBlank() {
        return true;
    }
}
