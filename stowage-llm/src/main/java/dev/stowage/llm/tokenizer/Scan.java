package dev.stowage.llm.tokenizer;

import java.util.function.IntPredicate;

/** What the rules for words have in common. */
final class Scan {

    private Scan() {}

    /** The end of the run of characters of a class. */
    static int run(int[] text, int from, int to, IntPredicate kind) {
        int at = from;
        while (at < to && kind.test(text[at])) {
            at++;
        }
        return at;
    }

    /** The length of a clipped English word such as {@code 's} or {@code 'll}, or 0. */
    static int clippedWord(int[] text, int from, int to, boolean anyCase) {
        if (text[from] != '\'' || from + 1 >= to) {
            return 0;
        }
        int first = fold(text[from + 1], anyCase);
        if (first == 's' || first == 't' || first == 'm' || first == 'd') {
            return 2;
        }
        if (from + 2 >= to) {
            return 0;
        }
        int second = fold(text[from + 2], anyCase);
        boolean known = ((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l');
        return known ? 3 : 0;
    }

    private static int fold(int c, boolean anyCase) {
        return anyCase && c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
    }

    /**
     * The end of a run of spaces: all of it at the end of the text, else all but the last, which the next word takes.
     */
    static int spaces(int[] text, int from, int to) {
        int end = run(text, from, to, CharacterClass::isSpace);
        return end < to && end - from > 1 ? end - 1 : end;
    }
}
