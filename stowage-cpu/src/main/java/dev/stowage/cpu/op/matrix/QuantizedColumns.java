package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.product.IntegerColumns;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;

/** Columns rounded to eight bits, for products with weights of few bits; see {@link IntegerColumns}. */
final class QuantizedColumns {

    private final Operand source;
    private final Scratch scratch;

    private QuantizedColumns(Operand source, Scratch scratch) {
        this.source = source;
        this.scratch = scratch;
    }

    /**
     * The columns in slot 1.
     *
     * @param span how many elements have the same scale
     * @param withQuarters whether the sums of eight numbers are wanted
     */
    static QuantizedColumns of(NodeBuilder node, ActivationColumns columns, int span, boolean withQuarters) {
        Operand source = node.operand(1);
        Scratch scratch = node.derived(
                1,
                "integers " + span + (withQuarters ? " with quarters" : ""),
                source.rows() * IntegerColumns.bytes(source.d0),
                target -> new Rounding(source, columns, span, withQuarters, target, node.threads()));
        return new QuantizedColumns(source, scratch);
    }

    /** The address of a column. */
    long at(long i1, long i2, long i3) {
        return scratch.address() + ((i3 * source.d2 + i2) * source.d1 + i1) * stride();
    }

    /** Bytes from column to column. */
    long stride() {
        return IntegerColumns.bytes(source.d0);
    }

    private static final class Rounding extends RangeTask {

        private final Operand source;
        private final ActivationColumns columns;
        private final int span;
        private final boolean withQuarters;
        private final Scratch target;

        Rounding(
                Operand source,
                ActivationColumns columns,
                int span,
                boolean withQuarters,
                Scratch target,
                int threads) {
            super(source.rows(), source.d0 * 0.3, threads);
            this.source = source;
            this.columns = columns;
            this.span = span;
            this.withQuarters = withQuarters;
            this.target = target;
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long row = from; row < to; row++) {
                long i1 = row % source.d1;
                long i2 = row / source.d1 % source.d2;
                long i3 = row / source.d1 / source.d2;
                IntegerColumns.round(
                        columns.at(i1, i2, i3),
                        (int) source.d0,
                        target.address() + row * IntegerColumns.bytes(source.d0),
                        span,
                        withQuarters);
            }
        }
    }
}
