package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.product.RowDots;
import dev.stowage.cpu.machine.row.RowKernels;
import dev.stowage.cpu.machine.row.RowSupport;
import dev.stowage.cpu.machine.row.RowType;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;
import java.util.Optional;

/**
 * The product of weights and a few columns, row by row. Without machine code four rows go together, a quarter of the piece apart: each is then
 * a stream of its own that goes on through memory from one row to the next, which is what the processor can read ahead.
 */
final class RowProduct extends RangeTask {

    private static final int TOGETHER = 4;

    /** Roughly how many weights are multiplied in a nanosecond. */
    private static final double WEIGHTS_PER_NANO = 8;

    /** What machine code reads at a time takes some ten microseconds. */
    private static final long BYTES_OF_A_CALL = 256 << 10;

    private final Operand weights;
    private final Operand result;
    private final ActivationColumns columns;
    private final RowDots dots;
    private final Optional<RowKernels.Dot> code;
    private final long rowsOfACall;
    private final Scratch workspace;

    private RowProduct(NodeBuilder node, ActivationColumns columns) {
        super(
                node.result().d0 * node.result().d2 * node.result().d3,
                node.operand(0).d0 * node.result().d1 / WEIGHTS_PER_NANO,
                node.threads());
        this.weights = node.operand(0);
        this.result = node.result();
        this.columns = columns;
        this.dots = RowDots.of(weights.type, weights.d0);
        this.code = RowType.of(weights.type)
                .flatMap(type -> RowSupport.kernels(weights.d0).map(kernels -> kernels.dot(type)));
        this.rowsOfACall = Math.max(1, BYTES_OF_A_CALL / weights.type.rowBytes(weights.d0));
        this.workspace = node.scratchPerThread(dots.workspaceBytes());
    }

    static void prepare(NodeBuilder node, ActivationColumns columns) {
        node.add(new RowProduct(node, columns));
    }

    @Override
    protected void run(long from, long to, int thread) {
        for (long at = from; at < to; ) {
            long batch = at / result.d0;
            long row = at - batch * result.d0;
            long end = Math.min(result.d0, row + to - at);
            if (code.isPresent()) {
                rows(code.get(), batch, row, end);
            } else {
                rows(batch, row, end, thread);
            }
            at += end - row;
        }
    }

    /** By machine code, which reads the rows as one stream; all columns while some rows are in the second cache. */
    private void rows(RowKernels.Dot dot, long batch, long from, long to) {
        long i2 = batch % result.d2;
        long i3 = batch / result.d2;
        long base = weights.at(0, i2 / (result.d2 / weights.d2), i3 / (result.d3 / weights.d3));
        for (long row = from; row < to; row += rowsOfACall) {
            long count = Math.min(rowsOfACall, to - row);
            for (long column = 0; column < result.d1; column++) {
                dot.multiply(
                        base + row * weights.s1,
                        weights.s1,
                        count,
                        columns.at(column, i2, i3),
                        weights.d0,
                        result.at(column, i2, i3) + row * Float.BYTES);
            }
        }
    }

    private void rows(long batch, long from, long to, int thread) {
        long i2 = batch % result.d2;
        long i3 = batch / result.d2;
        long base = weights.at(0, i2 / (result.d2 / weights.d2), i3 / (result.d3 / weights.d3));
        long sums = workspace.address(thread);
        long apart = (to - from) / TOGETHER;
        for (long row = from; row < from + apart; row++) {
            for (long column = 0; column < result.d1; column++) {
                dots.multiply(base + row * weights.s1, apart * weights.s1, columns.at(column, i2, i3), sums);
                long target = result.at(column, i2, i3) + row * Float.BYTES;
                for (int i = 0; i < TOGETHER; i++) {
                    Memory.setFloat(target + i * apart * Float.BYTES, Memory.getFloat(sums + (long) i * Float.BYTES));
                }
            }
        }
        for (long row = from + apart * TOGETHER; row < to; row++) {
            for (long column = 0; column < result.d1; column++) {
                dots.multiply(base + row * weights.s1, 0, columns.at(column, i2, i3), sums);
                Memory.setFloat(result.at(column, i2, i3) + row * Float.BYTES, Memory.getFloat(sums));
            }
        }
    }
}
