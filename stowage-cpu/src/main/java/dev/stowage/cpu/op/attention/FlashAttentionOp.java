package dev.stowage.cpu.op.attention;

import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.tensor.ElementType;

/**
 * FLASH_ATTN_EXT with queries of f32, and keys and values of any type whose rows are dense. Queries of other types stay
 * with the reference.
 */
final class FlashAttentionOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand q = node.operand(0);
        if (q.type != ElementType.F32
                || !q.hasDenseRows()
                || !isTaken(node.operand(1))
                || !isTaken(node.operand(2))
                || !node.result().isContiguous()) {
            return false;
        }
        AttentionOperands attention = new AttentionOperands(node);
        if ((long) attention.queries * attention.shared <= SmallBatchAttention.MOST_ROWS) {
            SmallBatchAttention.addTo(node, attention);
        } else {
            BlockAttention.addTo(node, attention);
        }
        return true;
    }

    private static boolean isTaken(Operand operand) {
        boolean isFloat =
                operand.type == ElementType.F32 || operand.type == ElementType.F16 || operand.type == ElementType.BF16;
        return operand.hasDenseRows() && (isFloat || operand.type.isQuantized());
    }
}
