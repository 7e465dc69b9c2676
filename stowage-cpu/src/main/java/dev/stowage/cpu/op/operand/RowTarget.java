package dev.stowage.cpu.op.operand;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.codec.RowEncoder;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/**
 * A result whose rows are written as dense floats, whatever its type and strides: in place, if they are that already,
 * and else to memory of the thread, from where {@link #finish} copies them.
 */
public final class RowTarget {

    private final Operand result;
    private final @Nullable RowEncoder encoder;
    private final @Nullable Scratch copy;

    private RowTarget(Operand result, @Nullable RowEncoder encoder, @Nullable Scratch copy) {
        this.result = result;
        this.encoder = encoder;
        this.copy = copy;
    }

    /** Whether a result can be written that way: the types and strides that {@link RowSource} reads. */
    public static boolean takes(Operand result) {
        return RowSource.takes(result);
    }

    /** The rows of the result of the node. */
    public static RowTarget of(NodeBuilder node, Operand result) {
        boolean dense = result.hasDenseRows();
        if (dense && result.type == ElementType.F32) {
            return new RowTarget(result, null, null);
        }
        return new RowTarget(
                result, dense ? RowEncoder.of(result.type) : null, node.scratchPerThread(result.d0 * Float.BYTES));
    }

    /** The address to write the floats of a row to; {@link #finish} must follow. */
    public long row(long row, int thread) {
        return copy == null ? result.row(row) : copy.address(thread);
    }

    /** Puts a row, that was written to where {@link #row} said, into its place. */
    public void finish(long row, int thread) {
        if (copy == null) {
            return;
        }
        if (encoder != null) {
            encoder.encode(copy.address(thread), result.row(row), result.d0);
        } else {
            scatter(copy.address(thread), result.row(row));
        }
    }

    private void scatter(long from, long to) {
        boolean half = result.type == ElementType.F16;
        for (long i = 0; i < result.d0; i++) {
            float value = Memory.getFloat(from + i * Float.BYTES);
            if (half) {
                Memory.setHalf(to + i * result.s0, value);
            } else {
                Memory.setFloat(to + i * result.s0, value);
            }
        }
    }

    /** Whether single elements of a type can be written as they are computed. */
    public static boolean takesElementsOf(ElementType type) {
        return type == ElementType.F32 || type == ElementType.F16 || type == ElementType.BF16;
    }
}
