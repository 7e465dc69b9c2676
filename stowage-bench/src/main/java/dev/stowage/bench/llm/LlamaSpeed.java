package dev.stowage.bench.llm;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * How fast llama.cpp runs a model.
 *
 * @param prompt tokens of a prompt, all in one batch
 * @param generation tokens one by one, from the first one on
 */
public record LlamaSpeed(TokenRate prompt, TokenRate generation) {

    /**
     * Measures as llama-bench does: nothing is in the context when a round begins, and a round before the first does not
     * count.
     *
     * @param promptTokens how many tokens a prompt has
     * @param generatedTokens how many are run one by one
     * @param rounds how often both are measured
     */
    public static LlamaSpeed measure(
            LlamaModel model, int promptTokens, int generatedTokens, int threads, int rounds, FlashAttention flash) {
        int room = Math.max(promptTokens, generatedTokens);
        IntUnaryOperator token = i -> (int) (i * 7919L % model.vocabularySize());
        int[] text = new int[promptTokens];
        Arrays.setAll(text, token);
        try (LlamaContext context = model.newContext(room, threads, flash)) {
            long[] prompts = times(rounds, () -> prompt(context, text));
            long[] generations = times(rounds, () -> generate(context, generatedTokens, token));
            return new LlamaSpeed(TokenRate.of(promptTokens, prompts), TokenRate.of(generatedTokens, generations));
        }
    }

    private static void prompt(LlamaContext context, int... text) {
        context.clear();
        context.run(text);
    }

    private static void generate(LlamaContext context, int count, IntUnaryOperator token) {
        context.clear();
        for (int i = 0; i < count; i++) {
            context.run(token.applyAsInt(i));
        }
    }

    private static long[] times(int rounds, Runnable work) {
        work.run();
        long[] times = new long[rounds];
        for (int i = 0; i < rounds; i++) {
            long start = System.nanoTime();
            work.run();
            times[i] = System.nanoTime() - start;
        }
        return times;
    }
}
