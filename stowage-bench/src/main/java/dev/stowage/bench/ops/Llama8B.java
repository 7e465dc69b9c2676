package dev.stowage.bench.ops;

/** The sizes of Llama 3.1 8B that its ops are measured with. */
final class Llama8B {

    static final int WIDTH = 4096;
    static final int FEED_FORWARD = 14_336;
    static final int HEAD_SIZE = 128;
    static final int HEADS = 32;
    static final int KV_HEADS = 8;
    static final int KV_WIDTH = HEAD_SIZE * KV_HEADS;
    static final int PROMPT = 512;
    static final int SHORT_CONTEXT = 512;
    static final int LONG_CONTEXT = 4096;
    static final float ROPE_BASE = 500_000f;
    static final int TRAINED_CONTEXT = 131_072;
    static final float NORM_EPSILON = 1e-5f;

    private Llama8B() {}
}
