package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.weights.InterleavedType;

/**
 * Products of columns with those matrices, of several, that ids name: a mixture of experts. First the columns are listed
 * by expert ({@link ExpertLists}), then each expert that was called is multiplied with its own ({@link ExpertTask}), so
 * that its weights are read once. Only weights whose rows are not dense, or empty, go to the reference.
 */
final class MulMatIdOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand weights = node.operand(0);
        if (InterleavedType.tiles().isOf(weights.buffer)) {
            MachineExperts.prepare(node);
            return true;
        }
        if (InterleavedType.planes().isOf(weights.buffer)) {
            InterleavedExperts.prepare(node);
            return true;
        }
        if (weights.d0 == 0 || !weights.hasDenseRows() || !ActivationColumns.canRead(node.operand(1))) {
            return false;
        }
        SlowWeights.LOGGED.use(node.operand(0).type);
        ExpertProduct.prepare(node, ActivationColumns.forWeights(node));
        return true;
    }
}
