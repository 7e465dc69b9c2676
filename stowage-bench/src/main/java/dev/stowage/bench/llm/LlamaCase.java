package dev.stowage.bench.llm;

import java.util.ArrayList;
import java.util.List;

/**
 * What llama.cpp makes of a prompt.
 *
 * @param prompt the text
 * @param tokens the text in tokens
 * @param surprise the sum of the negative logarithms of the probabilities of all tokens but the first
 * @param logits those after the last token
 * @param greedy the most likely token over and over, the one that ends the text included
 * @param text the text of these
 */
record LlamaCase(
        String prompt, List<Integer> tokens, double surprise, List<Float> logits, List<Integer> greedy, String text) {

    /** Computes with one thread. */
    static LlamaCase of(LlamaModel model, String prompt, int most, FlashAttention flash) {
        int[] tokens = model.tokenize(prompt);
        try (LlamaContext context = model.newContext(tokens.length + most, 1, flash)) {
            context.runForAllLogits(tokens);
            double surprise = 0;
            for (int i = 1; i < tokens.length; i++) {
                surprise += surprise(context.logits(i - 1), tokens[i]);
            }
            float[] logits = context.lastLogits();
            List<Integer> greedy = greedy(model, context, logits, most);
            return new LlamaCase(prompt, ints(tokens), surprise, floats(logits), greedy, model.text(greedy));
        }
    }

    private static List<Integer> greedy(LlamaModel model, LlamaContext context, float[] first, int most) {
        List<Integer> chosen = new ArrayList<>();
        int token = best(first);
        chosen.add(token);
        while (chosen.size() < most && !model.endsText(token)) {
            context.run(token);
            token = best(context.lastLogits());
            chosen.add(token);
        }
        return chosen;
    }

    private static int best(float[] logits) {
        int best = 0;
        for (int i = 1; i < logits.length; i++) {
            best = logits[i] > logits[best] ? i : best;
        }
        return best;
    }

    /** The negative logarithm of the probability of a token. */
    static double surprise(float[] logits, int token) {
        double largest = logits[best(logits)];
        double sum = 0;
        for (float logit : logits) {
            sum += Math.exp(logit - largest);
        }
        return largest + Math.log(sum) - logits[token];
    }

    private static List<Integer> ints(int[] numbers) {
        List<Integer> list = new ArrayList<>();
        for (int number : numbers) {
            list.add(number);
        }
        return list;
    }

    private static List<Float> floats(float[] numbers) {
        List<Float> list = new ArrayList<>();
        for (float number : numbers) {
            list.add(number);
        }
        return list;
    }
}
