package dev.stowage.cpu.op.copy;

import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.tensor.ElementType;

/**
 * DUP, CPY and CONT. Elements of the same type are moved, whatever the strides and shapes; others become floats in
 * between, a row or a part of one at a time. The reference op is left with casts among doubles, i32 and i64, which floats
 * cannot carry, and with casts between shapes that differ where either side has gaps.
 */
final class CopyOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand from = node.operand(0);
        Operand to = node.result();
        boolean contiguous = from.isContiguous() && to.isContiguous();
        if (from.type == to.type) {
            if (from.address != to.address || !from.layout().equals(to.layout())) {
                MoveTasks.add(node, StridedBlocks.of(from), StridedBlocks.of(to), contiguous);
            }
            return true;
        }
        if (!fitFloats(from.type, to.type)
                || (!contiguous && !from.tensor.shape().equals(to.tensor.shape()))) {
            return false;
        }
        if (contiguous) {
            node.add(new CastTask(CastTask.flat(from), CastTask.flat(to), from.type, to.type, node));
        } else {
            if (from.type.isQuantized() && !from.hasDenseRows()) {
                return false;
            }
            node.add(new CastTask(StridedBlocks.of(from), StridedBlocks.of(to), from.type, to.type, node));
        }
        return true;
    }

    /** Whether one of the types has no numbers but floats, so that nothing is lost on the way. */
    private static boolean fitFloats(ElementType from, ElementType to) {
        return !isWide(from) || !(to.isInteger() || to == ElementType.F64);
    }

    private static boolean isWide(ElementType type) {
        return type == ElementType.F64 || type == ElementType.I32 || type == ElementType.I64;
    }
}
