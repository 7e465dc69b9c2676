package dev.stowage.llm.tokenizer;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;

/**
 * The words of a text as BERT has them: between spaces, with every punctuation mark and every Chinese character a word of its
 * own, and without control characters. Accents are taken off and letters made small where the model wants it. As in
 * llama.cpp, a character stands for the first one it is composed of, which leaves of a Hangul syllable its first letter.
 *
 * @param lowersCase whether letters are made small
 * @param stripsAccents whether accents are taken off
 */
record WordPieceText(boolean lowersCase, boolean stripsAccents) {

    private static final char REPLACEMENT = '\uFFFD';
    private static final int LAST_ASCII = 0x7E;

    private static final int MARKS = (1 << Character.NON_SPACING_MARK)
            | (1 << Character.ENCLOSING_MARK)
            | (1 << Character.COMBINING_SPACING_MARK);

    private static final int CONTROLS = (1 << Character.CONTROL)
            | (1 << Character.FORMAT)
            | (1 << Character.SURROGATE)
            | (1 << Character.PRIVATE_USE);

    private static final int SYMBOLS = (1 << Character.MATH_SYMBOL)
            | (1 << Character.CURRENCY_SYMBOL)
            | (1 << Character.MODIFIER_SYMBOL)
            | (1 << Character.OTHER_SYMBOL);

    /** The blocks of Chinese characters that BERT cuts out, with a gap that its tokenizers have from one of them. */
    private static final int[][] CHINESE = {
        {0x3400, 0x4DBF},
        {0x4E00, 0x9FFF},
        {0xF900, 0xFAFF},
        {0x20000, 0x2A6DF},
        {0x2A700, 0x2B73F},
        {0x2B740, 0x2B81F},
        {0x2B920, 0x2CEAF},
        {0x2F800, 0x2FA1F}
    };

    /** The words; none is empty. */
    List<String> words(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        for (int at = 0; at < text.length(); ) {
            int read = text.codePointAt(at);
            at += Character.charCount(read);
            int c = stripsAccents ? firstOf(read) : read;
            if (CharacterClass.isSpace(c)) {
                end(word, words);
            } else if (!isDropped(c)) {
                boolean isWord = isWord(c);
                if (isWord) {
                    end(word, words);
                }
                word.appendCodePoint(lowersCase ? Character.toLowerCase(c) : c);
                if (isWord) {
                    end(word, words);
                }
            }
        }
        end(word, words);
        return words;
    }

    private static void end(StringBuilder word, List<String> words) {
        if (!word.isEmpty()) {
            words.add(word.toString());
            word.setLength(0);
        }
    }

    /** The first of the characters that one is composed of, which for a letter with an accent is the letter. */
    private static int firstOf(int c) {
        return c < 0x80
                ? c
                : Normalizer.normalize(Character.toString(c), Normalizer.Form.NFD)
                        .codePointAt(0);
    }

    private boolean isDropped(int c) {
        boolean isMark = stripsAccents && is(c, MARKS);
        return c == 0 || c == REPLACEMENT || isMark || is(c, CONTROLS);
    }

    private static boolean isWord(int c) {
        boolean isSymbol = c <= LAST_ASCII && is(c, SYMBOLS);
        return isSymbol || CharacterClass.isPunctuation(c) || isChinese(c);
    }

    private static boolean is(int c, int categories) {
        return ((categories >> Character.getType(c)) & 1) != 0;
    }

    private static boolean isChinese(int c) {
        for (int[] block : CHINESE) {
            if (c >= block[0] && c <= block[1]) {
                return true;
            }
        }
        return false;
    }
}
