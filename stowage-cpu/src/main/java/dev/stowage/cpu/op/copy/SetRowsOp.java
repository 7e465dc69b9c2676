package dev.stowage.cpu.op.copy;

import dev.stowage.cpu.kernel.codec.RowDecoder;
import dev.stowage.cpu.kernel.codec.RowEncoder;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;

/**
 * SET_ROWS: rows written over those of a table by number, in the type of the table. The reference op is left with tables
 * of whole numbers and doubles.
 */
final class SetRowsOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand source = node.operand(0);
        Operand table = node.result();
        boolean plain = table.type.isInteger() || table.type == ElementType.F64;
        if (plain || source.type.isInteger() || source.type == ElementType.F64) {
            return false;
        }
        if (!source.hasDenseRows() || !table.hasDenseRows() || !RowIndexCheck.areOf(node.operand(1).type)) {
            return false;
        }
        RowIndexCheck numbers = new RowIndexCheck(node.operand(1), table);
        Writing writing = new Writing(numbers, source, table, node);
        if (writing.pieces() > 1) {
            node.add(numbers);
        }
        node.add(writing);
        return true;
    }

    /**
     * Writes rows. Threads share them only where no number can come twice: else the later of two rows has to stay, and one
     * thread writes all of them in order. What is a single piece looks at the numbers itself, as a task more for each token
     * would take a good part of the time of a short row.
     */
    private static final class Writing extends RangeTask {

        /** A multiple of the blocks of all types. */
        private static final int PART = 256;

        private final RowIndexCheck numbers;
        private final Operand source;
        private final Operand table;
        private final boolean fromFloats;
        private final RowDecoder decoder;
        private final RowEncoder encoder;
        private final Scratch floats;

        Writing(RowIndexCheck numbers, Operand source, Operand table, NodeBuilder node) {
            super(source.rows(), 10 + 0.2 * source.d0, node.threads());
            this.numbers = numbers;
            this.source = source;
            this.table = table;
            this.fromFloats = source.type == ElementType.F32;
            this.decoder = RowDecoder.of(source.type);
            this.encoder = RowEncoder.of(table.type);
            this.floats = node.scratchPerThread(PART * 4L);
        }

        @Override
        protected void run(long first, long last, int thread) {
            if (pieces() == 1) {
                numbers.run(0, thread);
            }
            if (pieces() == 1 || numbers.areDistinct()) {
                write(first, last, floats.address(thread));
            } else if (first == 0) {
                write(0, source.rows(), floats.address(thread));
            }
        }

        private void write(long first, long last, long decoded) {
            if (first == last) {
                return; // there may be no rows at all
            }
            long matrix = first / source.d1;
            long i1 = first - matrix * source.d1;
            long i3 = matrix / source.d2;
            long i2 = matrix - i3 * source.d2;
            for (long row = first; row < last; row++) {
                long from = source.at(i1, i2, i3);
                long to = table.at(numbers.get(i1, i2, i3), i2, i3);
                if (fromFloats) {
                    encoder.encode(from, to, source.d0);
                } else {
                    through(decoded, from, to);
                }
                i1++;
                if (i1 == source.d1) {
                    i1 = 0;
                    i2++;
                    if (i2 == source.d2) {
                        i2 = 0;
                        i3++;
                    }
                }
            }
        }

        private void through(long decoded, long from, long to) {
            long part = from;
            long target = to;
            for (long done = 0; done < source.d0; done += PART) {
                long count = Math.min(PART, source.d0 - done);
                decoder.decode(part, decoded, count);
                encoder.encode(decoded, target, count);
                part += PART / source.type.blockSize() * (long) source.type.bytesPerBlock();
                target += PART / table.type.blockSize() * (long) table.type.bytesPerBlock();
            }
        }
    }
}
