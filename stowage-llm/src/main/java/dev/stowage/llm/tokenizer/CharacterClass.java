package dev.stowage.llm.tokenizer;

/**
 * The classes of characters by which text is split into words. Letters and numbers are the general categories L and N
 * of the Unicode version of the running Java; scripts younger than the one a model was made with may therefore be cut
 * otherwise.
 */
final class CharacterClass {

    /** Every general category that begins with L. */
    private static final int LETTERS = (1 << Character.UPPERCASE_LETTER)
            | (1 << Character.LOWERCASE_LETTER)
            | (1 << Character.TITLECASE_LETTER)
            | (1 << Character.MODIFIER_LETTER)
            | (1 << Character.OTHER_LETTER);

    private static final int NUMBERS =
            (1 << Character.DECIMAL_DIGIT_NUMBER) | (1 << Character.LETTER_NUMBER) | (1 << Character.OTHER_NUMBER);

    private static final int PUNCTUATION = (1 << Character.CONNECTOR_PUNCTUATION)
            | (1 << Character.DASH_PUNCTUATION)
            | (1 << Character.START_PUNCTUATION)
            | (1 << Character.END_PUNCTUATION)
            | (1 << Character.INITIAL_QUOTE_PUNCTUATION)
            | (1 << Character.FINAL_QUOTE_PUNCTUATION)
            | (1 << Character.OTHER_PUNCTUATION);

    private CharacterClass() {}

    static boolean isLetter(int c) {
        return is(c, LETTERS);
    }

    static boolean isNumber(int c) {
        return is(c, NUMBERS);
    }

    static boolean isPunctuation(int c) {
        return is(c, PUNCTUATION);
    }

    private static boolean is(int c, int categories) {
        return ((categories >> Character.getType(c)) & 1) != 0;
    }

    /** The property White_Space, which is neither of the two that {@link Character} has. */
    static boolean isSpace(int c) {
        return switch (c) {
            case '\t', '\n', 0x0B, '\f', '\r', ' ', 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000 -> true;
            default -> c >= 0x2000 && c <= 0x200A;
        };
    }

    /** Neither letter nor number nor space. */
    static boolean isOther(int c) {
        return !isLetter(c) && !isNumber(c) && !isSpace(c);
    }

    static boolean isLineEnd(int c) {
        return c == '\r' || c == '\n';
    }
}
