package dev.stowage.cli.option;

/**
 * What a process that runs a model takes beside weights, KV cache and compute buffers: the JVM with its heap and compiled code,
 * and the vocabulary. Measured with the heap that the launchers give it, after a prompt for which the largest kernels had to be
 * compiled, which alone takes 40 MiB for a moment.
 */
public final class ProcessOverhead {
    /** The JVM with the classes, the compiled code and the heap of a run. */
    static final long BASE = 136L << 20;

    /** As much again as a server takes, whose heap begins with a share of the machine's memory. */
    private static final long OF_SERVER = 64L << 20;

    /** What a token of the vocabulary takes: its text, its score, and where the tokenizer finds it. */
    private static final long PER_TOKEN = 400;

    private ProcessOverhead() {}

    /** The bytes for a run of a model with such a vocabulary. */
    public static long ofVocabulary(long tokens) {
        return BASE + PER_TOKEN * tokens;
    }

    /** The bytes for a server of a model with such a vocabulary. */
    public static long ofServer(long tokens) {
        return ofVocabulary(tokens) + OF_SERVER;
    }
}
