package dev.stowage.cpu.op.copy;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.program.GuardedKernel;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import java.util.Map;

/** ARANGE and TIMESTEP_EMBEDDING: elements that come from a formula. The reference op has the types other than f32. */
final class GeneratorOpKernels {

    private GeneratorOpKernels() {}

    static void addTo(Map<Op, OpKernel> byOp) {
        byOp.put(Op.ARANGE, new GuardedKernel(GeneratorOpKernels::arange));
        byOp.put(Op.TIMESTEP_EMBEDDING, new GuardedKernel(GeneratorOpKernels::timestepEmbedding));
    }

    private static boolean arange(NodeBuilder node) {
        if (node.result().type != ElementType.F32) {
            return false;
        }
        node.add(new Range(node.parameters(OpParameters.Arange.class), node.result(), node.threads()));
        return true;
    }

    private static boolean timestepEmbedding(NodeBuilder node) {
        Operand steps = node.operand(0);
        if (steps.type != ElementType.F32 || node.result().type != ElementType.F32) {
            return false;
        }
        OpParameters.TimestepEmbedding p = node.parameters(OpParameters.TimestepEmbedding.class);
        node.add(new Embedding(p, steps, node.result(), node.threads()));
        return true;
    }

    private static final class Range extends RangeTask {

        private final double start;
        private final double step;
        private final Operand result;

        Range(OpParameters.Arange range, Operand result, int threads) {
            super(result.d0, 1, threads);
            this.start = range.start();
            this.step = range.step();
            this.result = result;
        }

        @Override
        protected void run(long first, long last, int thread) {
            for (long i = first; i < last; i++) {
                Memory.setFloat(result.address + i * result.s0, (float) (start + step * i));
            }
        }
    }

    /** Cosines and then sines of a time step at falling frequencies; an odd last element is zero. */
    private static final class Embedding extends RangeTask {

        private final double[] frequencies;
        private final Operand steps;
        private final Operand result;

        Embedding(OpParameters.TimestepEmbedding p, Operand steps, Operand result, int threads) {
            super(steps.d0, p.dimensions() * 20.0, threads);
            this.frequencies = new double[p.dimensions() / 2];
            this.steps = steps;
            this.result = result;
            for (int j = 0; j < frequencies.length; j++) {
                frequencies[j] = Math.pow(p.maxPeriod(), -(double) j / frequencies.length);
            }
        }

        @Override
        protected void run(long first, long last, int thread) {
            int half = frequencies.length;
            for (long i = first; i < last; i++) {
                double step = Memory.getFloat(steps.address + i * steps.s0);
                long row = result.address + i * result.s1;
                for (int j = 0; j < half; j++) {
                    double angle = step * frequencies[j];
                    Memory.setFloat(row + j * result.s0, (float) Math.cos(angle));
                    Memory.setFloat(row + (half + j) * result.s0, (float) Math.sin(angle));
                }
                for (long j = 2L * half; j < result.d0; j++) {
                    Memory.setFloat(row + j * result.s0, 0);
                }
            }
        }
    }
}
