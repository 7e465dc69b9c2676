package dev.stowage.cuda;

import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.matrix.Gemm;
import dev.stowage.cuda.op.matrix.GemmOperands;
import dev.stowage.cuda.op.matrix.HalfMatrix;
import dev.stowage.cuda.op.matrix.HalfType;
import dev.stowage.cuda.op.unit.Activations;
import dev.stowage.cuda.op.unit.Pointers;
import dev.stowage.cuda.op.unit.QuantizedActivations;
import dev.stowage.cuda.op.unit.UnitProduct;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.Tensor;

/** The examples in the documentation of classes of this module, which are compared with them by {@code JavadocSnippetTest}. */
final class JavadocSnippets {

    private JavadocSnippets() {}

    static void launch(LaunchSink out, Step step, long rows, float epsilon) {
        out.add(Launch.of("rms_norm_f32")
                .grid(rows)
                .block(256)
                .view(step.operand(0))
                .view(step.result())
                .f32(epsilon));
    }

    static OpSupport requirements(Tensor node) {
        return Requirements.of(node)
                .type(0, ElementType.F32, ElementType.F16)
                .rows()
                .answer();
    }

    static void gemm(LaunchSink out, Step step, Scratch scratch, long rows, long depth, Launch.Argument result) {
        HalfMatrix tokens = Gemm.tokens(out, step.operand(1), step.operand(0).type());
        Gemm.launch(out, GemmOperands.of(HalfMatrix.in(scratch, rows, depth, HalfType.F16), tokens, result, rows));
    }

    static void unitProduct(
            BoundTensor gate, BoundTensor up, Activations activations, QuantizedActivations published, LaunchSink out) {
        UnitProduct.of(gate, activations, 1)
                .matrix(gate, null)
                .matrix(up, null)
                .glu(GluFunction.SWIGLU)
                .publish(published, Pointers.NONE)
                .launch(out);
    }
}
