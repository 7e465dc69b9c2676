package dev.stowage.llm.tokenizer;

/**
 * The words of GPT-4o and of Mistral's Tekken, which also end where a lower-case letter is followed by an upper-case one: as
 * in llama.cpp, every letter outside of ASCII counts as both. Otherwise they are those of {@link Llama3Rule}, but slashes
 * go with the ends of line after other characters.
 *
 * @param digits how many digits a word has at most
 * @param clipped whether a clipped word such as {@code 's} belongs to the word before it
 */
record CasedRule(int digits, boolean clipped) implements WordRule {

    @Override
    public int wordEnd(int[] text, int from, int to) {
        int c = text[from];
        if (CharacterClass.isNumber(c)) {
            return Scan.run(text, from, Math.min(to, from + digits), CharacterClass::isNumber);
        }
        boolean letterNext = from + 1 < to && CharacterClass.isLetter(text[from + 1]);
        if (CharacterClass.isLetter(c) || (letterNext && !CharacterClass.isLineEnd(c))) {
            int end = letters(text, CharacterClass.isLetter(c) ? from : from + 1, to);
            return clipped && end < to ? end + Scan.clippedWord(text, end, to, true) : end;
        }
        int start = c == ' ' && from + 1 < to ? from + 1 : from;
        if (CharacterClass.isOther(text[start])) {
            int end = Scan.run(text, start, to, CharacterClass::isOther);
            return Scan.run(text, end, to, CasedRule::isLineEndOrSlash);
        }
        return Llama3Rule.spaces(text, from, to);
    }

    /** The end of some upper-case letters with at least one lower-case letter after them, else of upper-case letters. */
    private static int letters(int[] text, int from, int to) {
        int upperEnd = Scan.run(text, from, to, CasedRule::isUpper);
        for (int lower = upperEnd; lower >= from; lower--) {
            if (lower < to && isLower(text[lower])) {
                return Scan.run(text, lower, to, CasedRule::isLower);
            }
        }
        return upperEnd;
    }

    private static boolean isUpper(int c) {
        return CharacterClass.isLetter(c) && (c < 'a' || c > 'z');
    }

    private static boolean isLower(int c) {
        return CharacterClass.isLetter(c) && (c < 'A' || c > 'Z');
    }

    private static boolean isLineEndOrSlash(int c) {
        return CharacterClass.isLineEnd(c) || c == '/';
    }
}
