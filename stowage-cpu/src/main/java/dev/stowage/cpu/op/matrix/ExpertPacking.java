package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.product.FloatTileKernels;
import dev.stowage.cpu.kernel.product.PackKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.ParallelTask;

/**
 * Packs the columns of every expert that has enough of them for tiles, side by side in panels of as many vectors as a
 * tile takes. An expert's panels are contiguous, wide ones first; a last vector that is not full has the last
 * column several times.
 */
final class ExpertPacking extends ParallelTask {

    /** Numbers of a column that are packed at a time, so that a panel's stay in the first cache until it is whole. */
    private static final int STEPS = 64;

    private static final int LANES = FloatTileKernels.LANES;

    private final ExpertLists lists;
    private final ActivationColumns columns;
    private final Operand source;
    private final long used;
    private final Scratch target;

    ExpertPacking(NodeBuilder node, ExpertLists lists, ActivationColumns columns, Scratch target) {
        super(pieces(node));
        this.lists = lists;
        this.columns = columns;
        this.source = node.operand(1);
        this.used = node.result().d1;
        this.target = target;
    }

    private static int pieces(NodeBuilder node) {
        long panels = Math.ceilDiv(node.result().rows(), LANES);
        return node.threads() == 1 ? 1 : (int) Math.min(panels, 4L * node.threads());
    }

    /** How many vectors a panel has that begins so many before the end. */
    static int vectors(int left) {
        return left >= FloatTileKernels.WIDEST ? FloatTileKernels.WIDEST : Math.min(left, 2);
    }

    @Override
    public void run(int piece, int thread) {
        int called = lists.called();
        long all = lists.packed(called);
        long from = all * piece / pieces();
        long to = all * (piece + 1) / pieces();
        for (int index = 0; index < called; index++) {
            int start = lists.packed(index);
            int end = lists.packed(index + 1);
            for (int at = start; at < end; at += vectors(end - at)) {
                if (at >= from && at < to) {
                    pack(index, at, (at - start) * LANES, vectors(end - at) * LANES);
                }
            }
        }
    }

    private void pack(int index, int vector, int first, int width) {
        int last = lists.count(index) - 1;
        int depth = (int) source.d0;
        long panel = target.address() + (long) vector * LANES * depth * Float.BYTES;
        long stride = (long) width * Float.BYTES;
        for (int k = 0; k < depth; k += STEPS) {
            int steps = Math.min(STEPS, depth - k);
            for (int i = 0; i < width; i++) {
                int column = lists.column(index, Math.min(first + i, last));
                long from = columns.at(column % used % source.d1, column / used, 0);
                PackKernels.scatter(
                        from + (long) k * Float.BYTES, steps, panel + k * stride + (long) i * Float.BYTES, stride);
            }
        }
    }
}
