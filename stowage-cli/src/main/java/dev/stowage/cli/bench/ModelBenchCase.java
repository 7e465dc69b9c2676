package dev.stowage.cli.bench;

/**
 * A test of a model, as in llama-bench: a prompt that is read, or tokens that are generated one after the other, for one
 * sequence or for several at once, after a context that is in the cache already.
 *
 * @param prompt how many tokens are read; 0 where tokens are generated
 * @param generated how many tokens are generated for each sequence; 0 where a prompt is read
 * @param sequences for how many sequences at once tokens are generated; 1 where a prompt is read
 * @param depth how many tokens each sequence has before, which are not measured
 * @param threads with how many threads
 */
record ModelBenchCase(int prompt, int generated, int sequences, int depth, int threads) {
    static ModelBenchCase ofPrompt(int tokens, int depth, int threads) {
        return new ModelBenchCase(tokens, 0, 1, depth, threads);
    }

    static ModelBenchCase ofGeneration(int tokens, int sequences, int depth, int threads) {
        return new ModelBenchCase(0, tokens, sequences, depth, threads);
    }

    /** How many tokens go through the model and are measured. */
    int tokens() {
        return prompt + Math.multiplyExact(generated, sequences);
    }

    /** How many tokens all sequences have at the end. */
    int context() {
        return Math.addExact(tokens(), Math.multiplyExact(depth, sequences));
    }

    /** As llama-bench calls it; it has no name for several sequences. */
    String label() {
        return (prompt > 0 ? "pp" + prompt : "tg" + generated)
                + (sequences > 1 ? " x " + sequences : "")
                + (depth > 0 ? " @ d" + depth : "");
    }
}
