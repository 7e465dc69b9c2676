package dev.stowage.cpu.op.elementwise;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.math.ArithmeticKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.ElementCost;
import dev.stowage.cpu.team.ParallelTask;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.error.AccessException;
import dev.stowage.tensor.ElementType;

/**
 * Adds to each row the row of a table that an id names. Taken are f32, f16 and bf16 with any strides; the reference has
 * the other types, and results in the memory of the table or of the ids, which are still read after other rows have been
 * written.
 */
final class AddIdOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        StridedElements result = StridedElements.of(node.result());
        StridedElements a = StridedElements.of(node.operand(0));
        StridedElements table = StridedElements.of(node.operand(1));
        StridedElements ids = StridedElements.of(node.operand(2));
        boolean taken = result.isFloating() && a.isFloating() && table.isFloating() && ids.type() == ElementType.I32;
        if (!taken || !result.isSafeFrom(a) || !result.isApartFrom(table) || !result.isApartFrom(ids)) {
            return false;
        }
        ElementLoop run = new BinaryElementLoop(
                ArithmeticKernels::add,
                ElementCost.ARITHMETIC,
                FloatReader.of(a.type(), a.strides().s0()),
                FloatReader.of(table.type(), table.strides().s0()),
                new FloatWriter(result.type(), result.strides().s0()),
                new SliceBuffers(node));
        node.add(new Check(node.operand(1), node.operand(2)));
        node.add(new Rows(node, run));
        return true;
    }

    /** Refuses ids that the table has no row for, before anything is written. */
    private static final class Check extends ParallelTask {

        private final Operand table;
        private final Operand ids;

        Check(Operand table, Operand ids) {
            super(1);
            this.table = table;
            this.ids = ids;
        }

        @Override
        public void run(int piece, int thread) {
            for (long row = 0; row < ids.rows(); row++) {
                long at = ids.row(row);
                for (long i = 0; i < ids.d0; i++) {
                    int id = Memory.getInt(at + i * ids.s0);
                    if (id < 0 || id >= table.d1) {
                        throw new AccessException(ids.tensor.describe() + " names row " + id + " of "
                                + table.tensor.describe() + ", which has rows 0 to " + (table.d1 - 1));
                    }
                }
            }
        }
    }

    private static final class Rows extends RangeTask {

        private final ElementLoop run;
        private final Operand result;
        private final Operand a;
        private final Operand table;
        private final Operand ids;

        Rows(NodeBuilder node, ElementLoop run) {
            super(node.result().rows(), node.result().d0 * run.nanosPerElement(), node.threads());
            this.run = run;
            this.result = node.result();
            this.a = node.operand(0);
            this.table = node.operand(1);
            this.ids = node.operand(2);
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long row = from; row < to; row++) {
                long i1 = row % result.d1;
                long i2 = row / result.d1 % result.d2;
                int id = Memory.getInt(ids.at(i2, 0, 0) + i1 * ids.s0);
                run.run(result.row(row), a.row(row), table.at(id, 0, 0), result.d0, thread);
            }
        }
    }
}
