package dev.stowage.cpu.op.operand;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.codec.RowDecoder;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/**
 * An operand as floats whose rows are dense: its own memory, if it is that already, and else a copy without gaps that is
 * made before the node runs.
 */
public final class FloatSource {

    public final long d0;
    public final long d1;
    public final long d2;
    public final long d3;
    public final long s1;
    public final long s2;
    public final long s3;
    private final long address;
    private final @Nullable Scratch copy;

    private FloatSource(Operand operand, @Nullable Scratch copy) {
        this.d0 = operand.d0;
        this.d1 = operand.d1;
        this.d2 = operand.d2;
        this.d3 = operand.d3;
        this.s1 = copy == null ? operand.s1 : d0 * Float.BYTES;
        this.s2 = copy == null ? operand.s2 : s1 * d1;
        this.s3 = copy == null ? operand.s3 : s2 * d2;
        this.address = operand.address;
        this.copy = copy;
    }

    /** Whether an operand can be read that way: f32 and f16 with any strides, bf16 and quantised types without gaps. */
    public static boolean takes(Operand operand) {
        return switch (operand.type) {
            case F32, F16 -> true;
            case F64 -> false;
            default -> !operand.type.isInteger() && operand.hasDenseRows();
        };
    }

    /** Whether all operands from slot {@code from} on and before {@code to} are given and can be read that way. */
    public static boolean takesAll(NodeBuilder node, int from, int to) {
        for (int slot = from; slot < to; slot++) {
            if (!node.has(slot) || !takes(node.operand(slot))) {
                return false;
            }
        }
        return true;
    }

    /** The operand in that slot; its rows may have gaps between them. */
    public static FloatSource of(NodeBuilder node, int slot) {
        Operand operand = node.operand(slot);
        boolean asItIs = operand.type == ElementType.F32 && operand.hasDenseRows();
        return new FloatSource(operand, asItIs ? null : copied(node, slot));
    }

    /** The operand in that slot with all its rows contiguous. */
    public static FloatSource contiguous(NodeBuilder node, int slot) {
        Operand operand = node.operand(slot);
        boolean asItIs = operand.type == ElementType.F32 && operand.isContiguous();
        return new FloatSource(operand, asItIs ? null : copied(node, slot));
    }

    private static Scratch copied(NodeBuilder node, int slot) {
        Operand operand = node.operand(slot);
        return node.derived(
                slot,
                "dense floats",
                operand.elements() * Float.BYTES,
                target -> new Copy(operand, target, node.threads()));
    }

    /** Where the first row begins. */
    public long address() {
        return copy == null ? address : copy.address();
    }

    /** The address of the row at those indices. */
    public long at(long i1, long i2, long i3) {
        return address() + i1 * s1 + i2 * s2 + i3 * s3;
    }

    private static final class Copy extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 0.3;

        private final Operand from;
        private final Scratch to;
        private final @Nullable RowDecoder decoder;

        Copy(Operand from, Scratch to, int threads) {
            super(from.rows(), from.d0 * NANOS_PER_ELEMENT, threads);
            this.from = from;
            this.to = to;
            this.decoder = from.hasDenseRows() ? RowDecoder.of(from.type) : null;
        }

        @Override
        protected void run(long first, long end, int thread) {
            for (long row = first; row < end; row++) {
                long target = to.address() + row * from.d0 * Float.BYTES;
                if (decoder != null) {
                    decoder.decode(from.row(row), target, from.d0);
                } else {
                    gather(from.row(row), target);
                }
            }
        }

        private void gather(long source, long target) {
            boolean half = from.type == ElementType.F16;
            for (long i = 0; i < from.d0; i++) {
                long at = source + i * from.s0;
                Memory.setFloat(target + i * Float.BYTES, half ? Memory.getHalf(at) : Memory.getFloat(at));
            }
        }
    }
}
