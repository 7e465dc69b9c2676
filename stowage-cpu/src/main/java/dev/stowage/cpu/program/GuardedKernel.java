package dev.stowage.cpu.program;

import dev.stowage.device.Step;
import dev.stowage.reference.ReferenceOps;

/**
 * A kernel that sees only nodes whose shapes the reference op accepts and that have no empty operand: the reference op
 * computes or refuses the others, so kernels need not check.
 */
public record GuardedKernel(OpKernel kernel) implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Step step = node.step();
        for (int slot = 0; slot < step.operandCount(); slot++) {
            if (step.hasOperand(slot) && step.operand(slot).shape().isEmpty()) {
                return false;
            }
        }
        return ReferenceOps.supports(step.result().tensor()).isSupported() && kernel.prepare(node);
    }
}
