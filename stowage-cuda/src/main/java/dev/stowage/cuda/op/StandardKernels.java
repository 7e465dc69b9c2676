package dev.stowage.cuda.op;

import dev.stowage.cuda.memory.RepackedBuffer;
import dev.stowage.cuda.op.attention.AttentionFamily;
import dev.stowage.cuda.op.copy.CopyFamily;
import dev.stowage.cuda.op.elementwise.ElementwiseFamily;
import dev.stowage.cuda.op.matrix.MatrixFamily;
import dev.stowage.cuda.op.norm.NormFamily;
import dev.stowage.cuda.op.reduction.ReductionFamily;
import dev.stowage.cuda.op.rope.RopeFamily;
import dev.stowage.cuda.op.row.RowFamily;
import dev.stowage.cuda.op.sequence.SequenceFamily;
import dev.stowage.cuda.op.sort.SortFamily;
import dev.stowage.cuda.op.unit.UnitFamily;
import dev.stowage.cuda.op.window.WindowFamily;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The kernels of all ops, and the fusions. */
public final class StandardKernels {

    private static final Map<Op, OpKernel> BY_OP = byOp();

    private StandardKernels() {}

    private static Map<Op, OpKernel> byOp() {
        Map<Op, OpKernel> all = new EnumMap<>(Op.class);
        for (Map<Op, OpKernel> family : List.of(
                AttentionFamily.kernels(),
                CopyFamily.kernels(),
                ElementwiseFamily.kernels(),
                MatrixFamily.kernels(),
                NormFamily.kernels(),
                ReductionFamily.kernels(),
                RopeFamily.kernels(),
                RowFamily.kernels(),
                SequenceFamily.kernels(),
                SortFamily.kernels(),
                WindowFamily.kernels())) {
            family.forEach((op, kernel) -> {
                if (all.put(op, kernel) != null) {
                    throw new IllegalStateException("two families compute " + op);
                }
            });
        }
        UnitFamily.kernels().forEach((op, kernel) -> all.put(op, new WeightKernel(kernel, all.get(op))));
        return all;
    }

    /** A product whose weights are in units or in plain memory. */
    private record WeightKernel(OpKernel units, @Nullable OpKernel plain) implements OpKernel {

        @Override
        public OpSupport supports(Tensor node, Gpu gpu) {
            return kernel(UnitFamily.concerns(node)).supports(node, gpu);
        }

        @Override
        public void launch(Step step, LaunchSink out) {
            kernel(step.operand(0).buffer() instanceof RepackedBuffer).launch(step, out);
        }

        private OpKernel kernel(boolean inUnits) {
            return inUnits ? units : Objects.requireNonNull(plain);
        }
    }

    /** The kernel of an op; one that supports nothing where there is none. */
    private static OpKernel of(Op op) {
        return BY_OP.getOrDefault(op, Missing.INSTANCE);
    }

    /** The kernels for one program, which share what several nodes can use. */
    static Map<Op, OpKernel> ofOneProgram() {
        Map<Op, OpKernel> all = new EnumMap<>(BY_OP);
        all.putAll(AttentionFamily.kernelsOfOneProgram());
        return all;
    }

    /** Whether a device of that kind computes a node from its operands as they are; if not, why. */
    public static OpSupport supports(Tensor node, Gpu gpu) {
        if (node.op() == Op.NONE || node.op().isViewOp()) {
            return OpSupport.yes();
        }
        return of(node.op()).supports(node, gpu);
    }

    private enum Missing implements OpKernel {
        INSTANCE;

        @Override
        public OpSupport supports(Tensor node, Gpu gpu) {
            return OpSupport.no("there is no CUDA kernel for " + node.op());
        }

        @Override
        public void launch(Step step, LaunchSink out) {
            throw new IllegalStateException("there is no CUDA kernel for " + step.op());
        }
    }
}
