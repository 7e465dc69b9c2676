package dev.stowage.cpu.op.operand;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.codec.RowDecoder;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/**
 * The rows of an operand as dense floats, whatever its type and strides: in their own memory, if they are that already, and
 * else as a copy that each thread has of the row it is at.
 */
public final class RowSource {

    private final Operand operand;
    private final @Nullable RowDecoder decoder;
    private final @Nullable Scratch copy;

    private RowSource(Operand operand, @Nullable RowDecoder decoder, @Nullable Scratch copy) {
        this.operand = operand;
        this.decoder = decoder;
        this.copy = copy;
    }

    /** Whether an operand can be read that way: floats of any type, of f32 and f16 with any strides. */
    public static boolean takes(Operand operand) {
        return switch (operand.type) {
            case F32, F16 -> true;
            case F64 -> false;
            default -> !operand.type.isInteger() && operand.hasDenseRows();
        };
    }

    /** The rows of an operand of the node. */
    public static RowSource of(NodeBuilder node, Operand operand) {
        boolean dense = operand.hasDenseRows();
        if (dense && operand.type == ElementType.F32) {
            return new RowSource(operand, null, null);
        }
        return new RowSource(
                operand, dense ? RowDecoder.of(operand.type) : null, node.scratchPerThread(operand.d0 * Float.BYTES));
    }

    /** The address of the floats of a row, which the thread may use until it asks for the next. */
    public long row(long row, int thread) {
        return at(operand.row(row), thread);
    }

    /** {@link #row} of the row that begins at that address. */
    public long at(long from, int thread) {
        if (copy == null) {
            return from;
        }
        long to = copy.address(thread);
        if (decoder != null) {
            decoder.decode(from, to, operand.d0);
        } else {
            gather(from, to);
        }
        return to;
    }

    private void gather(long from, long to) {
        boolean half = operand.type == ElementType.F16;
        for (long i = 0; i < operand.d0; i++) {
            long at = from + i * operand.s0;
            Memory.setFloat(to + i * Float.BYTES, half ? Memory.getHalf(at) : Memory.getFloat(at));
        }
    }
}
