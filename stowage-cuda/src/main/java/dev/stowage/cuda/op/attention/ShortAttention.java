package dev.stowage.cuda.op.attention;

import dev.stowage.cuda.op.unit.Exactness;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.tensor.ElementType;

/**
 * Attention over few cells in models whose rows are short, with the rounding of plain attention ({@link Exactness}).
 */
final class ShortAttention {

    private static final int MOST_CELLS = 1024;

    /** The most pairs of a query and a cell: for more, reading keys once for several queries counts. */
    private static final long MOST_SCORES = 1 << 20;

    private static final int THREADS = 128;
    private static final int ALIGNMENT = 16;

    /** What the kernel keeps of values: at most eight sums of each thread. */
    private static final int SUMS = 8 * THREADS;

    private ShortAttention() {}

    static boolean suits(AttentionOperands a) {
        return a.isForTensorCores()
                && a.k.type() != ElementType.Q8_0
                && a.cells <= MOST_CELLS
                && a.rows() * a.cells <= MOST_SCORES
                && Exactness.isShort((long) a.heads * a.valueSize)
                && AttentionOperands.isAligned(a.k, ALIGNMENT)
                && AttentionOperands.isAligned(a.v, ALIGNMENT);
    }

    static void launch(AttentionOperands a, LaunchSink out) {
        Launch launch = Launch.of("attention_short_" + a.k.type().label())
                .grid(a.rows())
                .block(THREADS)
                .shared((a.keySize + a.cells + SUMS) * Float.BYTES)
                .dependent()
                .view(a.q)
                .view(a.k)
                .view(a.v);
        a.withSinks(a.withMask(launch)).pointer(a.result);
        out.add(a.withParameters(launch));
    }
}
