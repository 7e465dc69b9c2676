package dev.stowage.cpu.op.sequence;

import dev.stowage.cpu.kernel.sequence.SsmKernels;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;

/**
 * SSM_CONV: {@code result[inner, token] = sum(kernel[k, inner] * data[token + k, inner])}. Tokens are contiguous in the
 * data and strided in the result, so a block of both is computed along the tokens and written along the rows.
 */
final class SsmConvOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand result = node.result();
        if (!FloatSource.takesAll(node, 0, 2) || !result.isContiguous() || result.type != ElementType.F32) {
            return false;
        }
        FloatSource data = FloatSource.of(node, 0);
        FloatSource kernel = FloatSource.of(node, 1);
        node.add(new Convolve(node, data, kernel));
        return true;
    }

    /** One item is a block of rows of one sequence, over all tokens. */
    private static final class Convolve extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 1;

        private final FloatSource data;
        private final FloatSource kernel;
        private final Operand result;
        private final Scratch block;
        private final long blocks;

        Convolve(NodeBuilder node, FloatSource data, FloatSource kernel) {
            super(
                    Math.ceilDiv(data.d1, SsmKernels.BLOCK) * data.d2,
                    SsmKernels.BLOCK * node.result().d1 * NANOS_PER_ELEMENT,
                    node.threads());
            this.data = data;
            this.kernel = kernel;
            this.result = node.result();
            this.block = node.scratchPerThread(SsmKernels.BLOCK_BYTES);
            this.blocks = Math.ceilDiv(data.d1, SsmKernels.BLOCK);
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long item = from; item < to; item++) {
                long inner = item % blocks * SsmKernels.BLOCK;
                long sequence = item / blocks;
                int rows = (int) Math.min(SsmKernels.BLOCK, data.d1 - inner);
                SsmKernels.convolve(
                        data.at(inner, sequence, 0),
                        data.s1,
                        kernel.at(inner, 0, 0),
                        kernel.s1,
                        (int) kernel.d0,
                        rows,
                        result.d1,
                        result.at(0, sequence, 0) + inner * Float.BYTES,
                        result.s1,
                        block.address(thread));
            }
        }
    }
}
