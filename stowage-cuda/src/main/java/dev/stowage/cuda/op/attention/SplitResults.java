package dev.stowage.cuda.op.attention;

import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import org.jspecify.annotations.Nullable;

/** Where the splits of an attention store their sums, and how these become the result. */
final class SplitResults {

    /** The most that {@code attention_combine} adds up. */
    static final int MOST_SPLITS = 256;

    private final AttentionOperands operands;
    private final int splits;
    private final @Nullable Scratch partials;
    private final @Nullable Scratch states;

    SplitResults(AttentionOperands operands, int splits, LaunchSink out) {
        this.operands = operands;
        this.splits = splits;
        long stored = operands.rows() * splits;
        this.partials = splits == 1 ? null : out.scratch(stored * operands.valueSize * Float.BYTES);
        this.states = splits == 1 ? null : out.scratch(stored * 2 * Float.BYTES);
    }

    /** Adds the arguments of a kernel that computes splits: the result, the sums and the states. */
    Launch addTo(Launch launch) {
        return pointer(pointer(launch.pointer(operands.result), partials), states);
    }

    /** Adds the address of scratch memory, or null where there is none. */
    static Launch pointer(Launch launch, @Nullable Scratch scratch) {
        return scratch == null ? launch.pointer(0) : launch.pointer(scratch);
    }

    /** Adds up what the splits have stored, if there is more than one. */
    void combine(LaunchSink out) {
        combine(null, out);
    }

    /** The same; the result goes there as quantised activations where that is given. */
    void combine(@Nullable Scratch published, LaunchSink out) {
        if (splits == 1) {
            return;
        }
        int threads = Math.min(256, Math.ceilDiv(operands.valueSize, 32) * 32);
        Launch launch = Launch.of(published == null ? "attention_combine" : "attention_combine_published")
                .grid(operands.rows())
                .block(threads)
                .dependent();
        operands.withSinks(pointer(pointer(launch, partials), states));
        (published == null ? launch.pointer(operands.result) : launch.pointer(published))
                .i32(splits)
                .i32(operands.valueSize)
                .i32(operands.heads);
        out.add(launch);
    }
}
