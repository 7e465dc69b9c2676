package dev.stowage.cpu.op.rope;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.codec.RowEncoder;
import dev.stowage.cpu.program.Fusion;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.ParallelTask;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.device.fusion.FusionPattern;
import dev.stowage.device.fusion.FusionPatterns;
import dev.stowage.error.AccessException;
import dev.stowage.reference.ReferenceOps;
import dev.stowage.tensor.ElementType;
import java.util.List;

/**
 * {@link FusionPatterns#ROPE_SET_ROWS} of keys, with views in between that make one row of all heads of a token: the
 * rotated keys go to the cache without ever being written elsewhere. For f32 keys; the cache may be of any type.
 */
final class RopeSetRowsFusion implements Fusion {

    private static final int SOURCE = 0;
    private static final int NUMBERS = 1;

    @Override
    public FusionPattern pattern() {
        return FusionPatterns.ROPE_SET_ROWS;
    }

    @Override
    public boolean prepare(List<NodeBuilder> nodes) {
        NodeBuilder last = nodes.getLast();
        if (!suits(nodes.getFirst(), last)) {
            return false;
        }
        Scratch rotatedRows = last.scratchPerThread(last.operand(SOURCE).d0 * Float.BYTES);
        Numbers numbers = new Numbers(last.operand(NUMBERS), last.result());
        RopeOp.Rotation rotation = new RopeOp.Rotation(nodes.getFirst());
        last.add(numbers);
        last.add(new Tokens(nodes.getFirst(), last, rotation, numbers, rotatedRows));
        return true;
    }

    private static boolean suits(NodeBuilder rope, NodeBuilder store) {
        Operand keys = rope.operand(0);
        Operand rotated = rope.result();
        Operand rows = store.operand(SOURCE);
        Operand table = store.result();
        return keys.isDenseF32()
                && rotated.type == ElementType.F32
                && isRowPerToken(rows, rotated)
                && table.hasDenseRows()
                && (!table.type.isInteger() && table.type != ElementType.F64)
                && hasOneNumberPerRow(store.operand(NUMBERS), rows)
                && keys.isApartFrom(table)
                && ReferenceOps.supports(rope.step().result().tensor()).isSupported()
                && ReferenceOps.supports(store.step().result().tensor()).isSupported();
    }

    /** Whether each row has all heads of a token one after the other. */
    private static boolean isRowPerToken(Operand rows, Operand rotated) {
        return rows.type == ElementType.F32
                && rows.address == rotated.address
                && rotated.isContiguous()
                && rows.isContiguous()
                && rows.d0 == rotated.d0 * rotated.d1
                && rows.d1 == rotated.d2
                && rows.d2 * rows.d3 * rotated.d3 == 1;
    }

    private static boolean hasOneNumberPerRow(Operand numbers, Operand rows) {
        return (numbers.type == ElementType.I64 || numbers.type == ElementType.I32)
                && numbers.d0 == rows.d1
                && numbers.rows() == 1;
    }

    /**
     * The numbers of the rows to write, looked at before anything is written: a wrong one is reported then, and where one may
     * come twice a single thread writes them all, as the later row stays.
     */
    private static final class Numbers extends ParallelTask {

        private final Operand numbers;
        private final Operand table;
        private boolean ascending;

        Numbers(Operand numbers, Operand table) {
            super(1);
            this.numbers = numbers;
            this.table = table;
        }

        @Override
        public void run(int piece, int thread) {
            ascending = true;
            for (long token = 0; token < numbers.d0; token++) {
                long number = of(token);
                if (number < 0 || number >= table.d1) {
                    throw new AccessException(numbers.tensor.describe() + " names row " + number + " of "
                            + table.tensor.describe() + ", which has rows 0 to " + (table.d1 - 1));
                }
                ascending &= token == 0 || number > of(token - 1);
            }
        }

        long of(long token) {
            long at = numbers.address + token * numbers.s0;
            return numbers.type == ElementType.I64 ? Memory.getLong(at) : Memory.getInt(at);
        }

        boolean areAscending() {
            return ascending;
        }
    }

    private static final class Tokens extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 0.4;

        private final Operand keys;
        private final Operand table;
        private final long heads;
        private final long headBytes;
        private final long tokens;
        private final long n;
        private final RopeOp.Rotation rotation;
        private final Numbers numbers;
        private final RowEncoder encoder;
        private final Scratch rotatedRows;
        private final boolean floats;

        Tokens(NodeBuilder rope, NodeBuilder store, RopeOp.Rotation rotation, Numbers numbers, Scratch rotatedRows) {
            super(rope.result().d2, store.operand(SOURCE).d0 * NANOS_PER_ELEMENT, store.threads());
            this.keys = rope.operand(0);
            this.table = store.result();
            this.heads = keys.d1;
            this.headBytes = keys.d0 * Float.BYTES;
            this.tokens = keys.d2;
            this.n = store.operand(SOURCE).d0;
            this.rotation = rotation;
            this.numbers = numbers;
            this.encoder = RowEncoder.of(table.type);
            this.rotatedRows = rotatedRows;
            this.floats = table.type == ElementType.F32;
        }

        @Override
        protected void run(long first, long end, int thread) {
            if (numbers.areAscending()) {
                write(first, end, thread);
            } else if (first == 0) {
                write(0, tokens, thread);
            }
        }

        private void write(long first, long end, int thread) {
            for (long token = first; token < end; token++) {
                long row = table.at(numbers.of(token), 0, 0);
                long to = floats ? row : rotatedRows.address(thread);
                rotation.rows(keys.at(0, token, 0), keys.s1, to, headBytes, heads, token);
                if (!floats) {
                    encoder.encode(to, row, n);
                }
            }
        }
    }
}
