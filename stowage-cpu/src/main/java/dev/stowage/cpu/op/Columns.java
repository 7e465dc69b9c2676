package dev.stowage.cpu.op;

import dev.stowage.cpu.kernel.PackKernels;
import dev.stowage.cpu.kernel.RowDecoder;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/**
 * The columns that weights are multiplied with, as floats that lie one behind the other: the operand itself where it is
 * so, a decoded copy where it is not.
 */
final class Columns {

    private final Operand source;
    private final @Nullable Scratch copy;

    private Columns(Operand source, @Nullable Scratch copy) {
        this.source = source;
        this.copy = copy;
    }

    static boolean canRead(Operand columns) {
        return columns.type == ElementType.F32 || columns.hasDenseRows();
    }

    static Columns of(NodeBuilder node, int slot) {
        Operand source = node.operand(slot);
        if (source.type == ElementType.F32 && source.s0 == Float.BYTES) {
            return new Columns(source, null);
        }
        Scratch copy = node.derived(
                slot, "floats", source.elements() * Float.BYTES, target -> new Copying(source, target, node.threads()));
        return new Columns(source, copy);
    }

    /** The address of a column. */
    long at(long i1, long i2, long i3) {
        return copy == null
                ? source.at(i1, i2, i3)
                : copy.address() + ((i3 * source.d2 + i2) * source.d1 + i1) * source.d0 * Float.BYTES;
    }

    /** Bytes from column to column. */
    long stride() {
        return copy == null ? source.s1 : source.d0 * Float.BYTES;
    }

    private static final class Copying extends RangeTask {

        private final Operand source;
        private final Scratch target;
        private final @Nullable RowDecoder decoder;

        Copying(Operand source, Scratch target, int threads) {
            super(source.rows(), (double) source.d0, threads);
            this.source = source;
            this.target = target;
            this.decoder = source.type == ElementType.F32 ? null : RowDecoder.of(source.type);
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long row = from; row < to; row++) {
                long column = target.address() + row * source.d0 * Float.BYTES;
                if (decoder == null) {
                    PackKernels.gather(source.row(row), source.s0, (int) source.d0, column);
                } else {
                    decoder.decode(source.row(row), column, source.d0);
                }
            }
        }
    }
}
