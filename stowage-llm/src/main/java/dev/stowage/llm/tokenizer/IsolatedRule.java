package dev.stowage.llm.tokenizer;

import java.util.function.IntPredicate;

/**
 * Cuts characters of a class out of text, in runs of a fixed length or of any, and leaves the text between them whole.
 *
 * @param kind the characters that are cut out
 * @param least how many there must be in a row; fewer belong to the text around them
 * @param most how many there are at most in a word
 */
record IsolatedRule(IntPredicate kind, int least, int most) implements WordRule {

    @Override
    public int wordEnd(int[] text, int from, int to) {
        int end = from;
        while (end < to) {
            int runEnd = Scan.run(text, end, (int) Math.min(to, (long) end + most), kind);
            if (runEnd - end >= least) {
                return end == from ? runEnd : end;
            }
            // Too few to be cut out: they end at another character, which is none either.
            end = Math.min(to, runEnd + 1);
        }
        return end;
    }
}
