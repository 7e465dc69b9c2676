package dev.stowage.cpu.op;

import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.team.ParallelTask;
import dev.stowage.device.Step;
import dev.stowage.error.AccessException;
import dev.stowage.tensor.CustomOp;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Map;

/**
 * MAP_CUSTOM1 to CUSTOM: ops written by the caller, called for as many parts as there are threads, or as the caller
 * allows. Memory that belongs to one thread alone is left to that thread, in one part.
 */
final class CustomOpKernel implements OpKernel {

    static void addTo(Map<Op, OpKernel> byOp) {
        OpKernel custom = new CustomOpKernel();
        byOp.put(Op.MAP_CUSTOM1, custom);
        byOp.put(Op.MAP_CUSTOM2, custom);
        byOp.put(Op.MAP_CUSTOM3, custom);
        byOp.put(Op.CUSTOM, custom);
    }

    @Override
    public boolean prepare(NodeBuilder node) {
        if (!(node.step().parameters() instanceof OpParameters.Custom custom) || !canBeShared(node.step())) {
            return false;
        }
        node.add(new Call(node.step(), custom.function(), Math.min(custom.maxParts(), node.threads())));
        return true;
    }

    private static boolean canBeShared(Step step) {
        Thread another = Thread.ofPlatform().unstarted(() -> {});
        boolean shared = step.result().segment().isAccessibleBy(another);
        for (int slot = 0; slot < step.operandCount(); slot++) {
            shared &= !step.hasOperand(slot) || step.operand(slot).segment().isAccessibleBy(another);
        }
        return shared;
    }

    /** A call for each part. */
    private static final class Call extends ParallelTask {

        private final CustomOp function;
        private final Part[] parts;

        Call(Step step, CustomOp function, int count) {
            super(count);
            this.function = function;
            this.parts = new Part[count];
            Tensors tensors = new Tensors(step);
            for (int index = 0; index < count; index++) {
                parts[index] = new Part(tensors, index, count);
            }
        }

        @Override
        public void run(int piece, int thread) {
            function.compute(parts[piece]);
        }
    }

    /** The bytes a function may reach, found once. */
    private static final class Tensors {

        private final Step step;
        private final MemorySegment result;
        private final MemorySegment[] operands;

        Tensors(Step step) {
            this.step = step;
            this.result = step.result().segment();
            this.operands = new MemorySegment[step.operandCount()];
            for (int slot = 0; slot < operands.length; slot++) {
                if (step.hasOperand(slot)) {
                    operands[slot] = step.operand(slot).segment().asReadOnly();
                }
            }
        }

        /** Takes a source as the result names it, and gives the bytes of what the graph has in its place. */
        MemorySegment bytes(Tensor tensor) {
            if (tensor == step.result().tensor()) {
                return result;
            }
            for (int slot = 0; slot < operands.length; slot++) {
                if (step.hasOperand(slot)
                        && (tensor == step.result().tensor().source(slot)
                                || tensor == step.operand(slot).tensor())) {
                    return operands[slot];
                }
            }
            throw new AccessException(tensor.describe() + " is neither "
                    + step.result().describe() + " nor one of its sources: a custom op reaches no other tensors");
        }
    }

    private record Part(Tensors tensors, int index, int count) implements CustomOp.Part {

        @Override
        public Tensor result() {
            return tensors.step.result().tensor();
        }

        @Override
        public MemorySegment bytes(Tensor tensor) {
            return tensors.bytes(tensor);
        }
    }
}
