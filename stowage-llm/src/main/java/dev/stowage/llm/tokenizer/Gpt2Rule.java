package dev.stowage.llm.tokenizer;

/**
 * The words of GPT-2: clipped words, then runs of letters, of numbers or of anything else, each with one blank before
 * it, then spaces.
 */
final class Gpt2Rule implements WordRule {

    @Override
    public int wordEnd(int[] text, int from, int to) {
        int clipped = Scan.clippedWord(text, from, to, false);
        if (clipped > 0) {
            return from + clipped;
        }
        int start = text[from] == ' ' && from + 1 < to ? from + 1 : from;
        int c = text[start];
        if (CharacterClass.isLetter(c)) {
            return Scan.run(text, start, to, CharacterClass::isLetter);
        }
        if (CharacterClass.isNumber(c)) {
            return Scan.run(text, start, to, CharacterClass::isNumber);
        }
        return CharacterClass.isSpace(c)
                ? Scan.spaces(text, from, to)
                : Scan.run(text, start, to, CharacterClass::isOther);
    }
}
