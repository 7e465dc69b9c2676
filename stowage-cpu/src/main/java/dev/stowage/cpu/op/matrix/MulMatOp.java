package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.weights.InterleavedType;

/**
 * The product of two matrices. Few columns are multiplied row by row ({@link RowProduct}), which reads every weight once
 * from memory and is as fast as memory is; many in tiles ({@link TileProduct}), which decode a block of weights once for
 * all columns. Only weights whose rows are not dense, or empty, go to
 * the reference.
 */
final class MulMatOp implements OpKernel {

    /** From how many columns on tiles are faster. */
    private static final int COLUMNS_FOR_TILES = 4;

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand weights = node.operand(0);
        if (InterleavedType.tiles().isOf(weights.buffer)) {
            MachineProduct.prepare(node);
            return true;
        }
        if (InterleavedType.planes().isOf(weights.buffer)) {
            InterleavedProduct.prepare(node);
            return true;
        }
        if (weights.d0 == 0 || !weights.hasDenseRows() || !ActivationColumns.canRead(node.operand(1))) {
            return false;
        }
        SlowWeights.LOGGED.use(node.operand(0).type);
        if (node.result().d1 < COLUMNS_FOR_TILES) {
            RowProduct.prepare(node, ActivationColumns.forWeights(node));
        } else {
            TileProduct.prepare(node, ActivationColumns.forWeights(node));
        }
        return true;
    }
}
