package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;

/** Rows of any type turned into f16 or bf16 in scratch memory, by {@code dequantize.cu}. */
final class Narrowing {

    /** What a thread writes at once, and what rows are filled up to. */
    static final int ELEMENTS = 8;

    private static final int THREADS = 256;

    private Narrowing() {}

    /** All rows of an operand, counted over dimensions 1 to 3. */
    static HalfMatrix all(LaunchSink out, Operand rows, HalfType type) {
        HalfMatrix target = target(out, rows.layout().shape().rows(), rows.dim(0), type);
        write(out, rows, 0, target);
        return target;
    }

    /** The rows of an operand from {@code first} on, as many as the target has. */
    static void write(LaunchSink out, Operand rows, long first, HalfMatrix target) {
        out.add(Launch.of(target.type().narrowing(rows.type()))
                .grid(blocks(target))
                .block(THREADS)
                .dependent()
                .argument(rows.view())
                .i32(first)
                .i32(target.rows())
                .argument(target.base())
                .i32(target.depth())
                .i32(target.rowStride()));
    }

    /** The rows of the second factor of a MUL_MAT_ID in the order of grouped pairs. */
    static HalfMatrix gathered(LaunchSink out, Operand b, Gemm.GroupedPairs grouped, HalfType type) {
        HalfMatrix target = target(out, grouped.count(), b.dim(0), type);
        out.add(Launch.of(type.gathering())
                .grid(blocks(target))
                .block(THREADS)
                .dependent()
                .argument(b.view())
                .i32(b.type().code())
                .pointer(grouped.pairs())
                .i32(grouped.count())
                .i32(grouped.used())
                .argument(target.base())
                .i32(target.depth()));
        return target;
    }

    private static HalfMatrix target(LaunchSink out, long rows, long depth, HalfType type) {
        return HalfMatrix.allocate(out, rows, Gemm.paddedDepth(depth), type);
    }

    private static long blocks(HalfMatrix target) {
        return Math.ceilDiv(target.rows() * (target.depth() / ELEMENTS), THREADS);
    }
}
