package dev.stowage.llm.tokenizer;

/**
 * A way to cut text into words, which byte pairs are then joined within. Patterns of this kind are published as regular
 * expressions; here they are scanners, because these need one look at each character, however long a run of them is.
 */
@FunctionalInterface
interface WordRule {

    /** Where the word ends that begins at {@code from}; always beyond it, and at most at {@code to}. */
    int wordEnd(int[] text, int from, int to);
}
