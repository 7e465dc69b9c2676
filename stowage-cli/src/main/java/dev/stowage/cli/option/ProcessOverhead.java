package dev.stowage.cli.option;

/**
 * What a process that runs a model takes beside weights, KV cache and compute buffers: the JVM with its heap and compiled code,
 * and the vocabulary.
 */
public final class ProcessOverhead {
    /** The JVM with the classes, the compiled code and the heap of a run. */
    static final long BASE = 200L << 20;

    /** What a token of the vocabulary takes: its text, its score, and where the tokenizer finds it. */
    private static final long PER_TOKEN = 400;

    private ProcessOverhead() {}

    /** The bytes for a model with such a vocabulary. */
    public static long ofVocabulary(long tokens) {
        return BASE + PER_TOKEN * tokens;
    }
}
