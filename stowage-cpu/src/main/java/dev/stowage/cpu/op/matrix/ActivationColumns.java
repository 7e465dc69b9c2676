package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.codec.RowDecoder;
import dev.stowage.cpu.kernel.product.DotRounding;
import dev.stowage.cpu.kernel.product.PackKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.reference.quant.DotType;
import dev.stowage.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/**
 * The columns that weights are multiplied with, as contiguous floats: the operand itself where it is
 * so, a decoded copy where it is not, and a rounded copy where the weights' type asks for it ({@link DotType}).
 */
final class ActivationColumns {

    private final Operand source;
    private final @Nullable Scratch copy;

    private ActivationColumns(Operand source, @Nullable Scratch copy) {
        this.source = source;
        this.copy = copy;
    }

    static boolean canRead(Operand columns) {
        return columns.type == ElementType.F32 || columns.hasDenseRows();
    }

    static ActivationColumns of(NodeBuilder node, int slot) {
        Operand source = node.operand(slot);
        if (source.type == ElementType.F32 && source.s0 == Float.BYTES) {
            return new ActivationColumns(source, null);
        }
        Scratch copy = node.derived(
                slot, "floats", source.elements() * Float.BYTES, target -> new Copying(source, target, node.threads()));
        return new ActivationColumns(source, copy);
    }

    /** The columns in slot 1 as they meet the weights in slot 0. */
    static ActivationColumns forWeights(NodeBuilder node) {
        ActivationColumns plain = of(node, 1);
        ElementType type = DotType.of(node.operand(0).type);
        if (type == ElementType.F32 || type == plain.source.type) {
            return plain;
        }
        Operand source = plain.source;
        Scratch rounded = node.derived(
                1,
                "rounded to " + type,
                source.elements() * Float.BYTES,
                target -> new Rounding(plain, type, target, node.threads()));
        return new ActivationColumns(source, rounded);
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

    private static final class Rounding extends RangeTask {

        private final ActivationColumns plain;
        private final Operand source;
        private final ElementType type;
        private final Scratch target;

        Rounding(ActivationColumns plain, ElementType type, Scratch target, int threads) {
            super(plain.source.rows(), plain.source.d0 * 0.2, threads);
            this.plain = plain;
            this.source = plain.source;
            this.type = type;
            this.target = target;
        }

        @Override
        protected void run(long from, long to, int thread) {
            int count = (int) source.d0;
            for (long row = from; row < to; row++) {
                long column = target.address() + row * count * Float.BYTES;
                long i2 = row / source.d1;
                round(plain.at(row % source.d1, i2 % source.d2, i2 / source.d2), column, count);
            }
        }

        private void round(long from, long to, int count) {
            switch (type) {
                case F16 -> DotRounding.halves(from, to, count);
                case BF16 -> DotRounding.brains(from, to, count);
                default -> DotRounding.eightBits(from, to, count, type.blockSize(), type != ElementType.Q8_K);
            }
        }
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
