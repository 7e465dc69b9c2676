package dev.stowage.cuda.op.attention;

import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.tensor.ElementType;

/** Attention for any sizes, strides and readable types: a block for each query and head. */
final class GenericAttention {

    private static final int THREADS = 128;

    /** What the kernel uses besides a query and its sums. */
    private static final int OWN_SHARED_BYTES = 1024;

    private GenericAttention() {}

    /** Whether keys and values may be of that type. */
    static boolean canRead(ElementType type) {
        return switch (type) {
            case F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, IQ4_NL -> true;
            default -> false;
        };
    }

    /** Whether a key and a value fit into the shared memory of a block. */
    static boolean fits(long keySize, long valueSize, Gpu gpu) {
        return keySize + valueSize <= (gpu.sharedBytesPerBlock() - OWN_SHARED_BYTES) / Float.BYTES;
    }

    static void launch(AttentionOperands a, LaunchSink out) {
        Launch launch = Launch.of("attention_any")
                .grid(a.rows())
                .block(THREADS)
                .shared((a.keySize + a.valueSize) * Float.BYTES)
                .dependent()
                .view(a.q)
                .view(a.k)
                .view(a.v);
        a.withSinks(a.withMask(launch))
                .view(a.result)
                .i32(a.k.type().code())
                .i32(a.v.type().code());
        out.add(a.withParameters(launch));
    }
}
