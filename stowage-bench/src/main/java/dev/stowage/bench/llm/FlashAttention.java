package dev.stowage.bench.llm;

/** Whether llama.cpp computes attention in one go. */
public enum FlashAttention {
    /** Where it thinks it is better. */
    AUTO(-1),
    OFF(0),
    ON(1);

    private final int code;

    FlashAttention(int code) {
        this.code = code;
    }

    /** The number llama.cpp has for it. */
    int code() {
        return code;
    }
}
