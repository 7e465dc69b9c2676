package dev.stowage.cpu.op.copy;

import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.OpParameters;

/** CONCAT: the first operand at the start of the result, the second after it along a dimension. */
final class ConcatOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        StridedBlocks a = StridedBlocks.of(node.operand(0));
        StridedBlocks b = StridedBlocks.of(node.operand(1));
        StridedBlocks result = StridedBlocks.of(node.result());
        if (node.operand(0).type != node.result().type || node.operand(1).type != node.result().type) {
            return false;
        }
        long offset = switch (node.parameters(OpParameters.Concat.class).dimension()) {
            case 0 -> a.d0() * result.s0();
            case 1 -> a.d1() * result.s1();
            case 2 -> a.d2() * result.s2();
            default -> a.d3() * result.s3();
        };
        MoveTasks.add(node, a, result.region(a, 0), false);
        MoveTasks.add(node, b, result.region(b, offset), false);
        return true;
    }
}
