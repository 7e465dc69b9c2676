package dev.stowage.llm.tokenizer;

/**
 * The words of Llama 3 and Qwen 2: clipped words in either case, letters with any one character before them that is
 * neither number nor end of line, a few digits at a time, other characters with the ends of line after them, spaces
 * up to the last end of line among them, then spaces.
 *
 * @param digits how many digits a word has at most: 3 for Llama 3, 1 for Qwen 2
 */
record Llama3Rule(int digits) implements WordRule {

    @Override
    public int wordEnd(int[] text, int from, int to) {
        int clipped = Scan.clippedWord(text, from, to, true);
        if (clipped > 0) {
            return from + clipped;
        }
        int c = text[from];
        if (CharacterClass.isNumber(c)) {
            return Scan.run(text, from, Math.min(to, from + digits), CharacterClass::isNumber);
        }
        boolean letterNext = from + 1 < to && CharacterClass.isLetter(text[from + 1]);
        if (CharacterClass.isLetter(c) || (letterNext && !CharacterClass.isLineEnd(c))) {
            return Scan.run(text, from + 1, to, CharacterClass::isLetter);
        }
        int start = c == ' ' && from + 1 < to ? from + 1 : from;
        if (CharacterClass.isOther(text[start])) {
            int end = Scan.run(text, start, to, CharacterClass::isOther);
            return Scan.run(text, end, to, CharacterClass::isLineEnd);
        }
        return spaces(text, from, to);
    }

    /** The end of spaces: up to the last end of line among them, else as {@link Scan#spaces}. */
    static int spaces(int[] text, int from, int to) {
        int end = Scan.run(text, from, to, CharacterClass::isSpace);
        for (int last = end - 1; last >= from; last--) {
            if (CharacterClass.isLineEnd(text[last])) {
                return last + 1;
            }
        }
        return Scan.spaces(text, from, to);
    }
}
