package dev.stowage.cli.bench;

/**
 * A test of a model, as in llama-bench: a prompt that is read, or tokens that are generated one
 * after the other, each from an empty context on.
 *
 * @param prompt how many tokens are read; 0 where tokens are generated
 * @param generated how many tokens are generated; 0 where a prompt is read
 * @param threads with how many threads
 */
record ModelBenchCase(int prompt, int generated, int threads) {
    static ModelBenchCase ofPrompt(int tokens, int threads) {
        return new ModelBenchCase(tokens, 0, threads);
    }

    static ModelBenchCase ofGeneration(int tokens, int threads) {
        return new ModelBenchCase(0, tokens, threads);
    }

    /** How many tokens go through the model. */
    int tokens() {
        return prompt + generated;
    }

    /** As llama-bench calls it. */
    String label() {
        return prompt > 0 ? "pp" + prompt : "tg" + generated;
    }
}
