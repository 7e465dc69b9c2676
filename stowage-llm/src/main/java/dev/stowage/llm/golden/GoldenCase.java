package dev.stowage.llm.golden;

/**
 * What was recorded for one prompt. The arrays are not copied.
 *
 * @param prompt the text
 * @param tokens its tokens, with those the model adds
 * @param nll the sum of the negative logarithms of how likely each token after the first was
 * @param logits the logits after the last token
 * @param greedy the tokens that follow when the most likely one is always taken
 * @param text the text of those
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and large
public record GoldenCase(String prompt, int[] tokens, double nll, float[] logits, int[] greedy, String text) {}
