package dev.stowage.cuda.op.elementwise;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.strided.BinaryFunction;
import dev.stowage.cuda.op.strided.Copies;
import dev.stowage.cuda.op.strided.Rules;
import dev.stowage.cuda.op.strided.Views;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch.ViewArgument;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;

/**
 * {@code f(a, b)} with the second operand repeated over the first. A quantised first operand is decoded into the
 * result, which is then f32, and the function computed there.
 */
record BinaryKernel(BinaryFunction function) implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        Tensor a = node.source(0);
        if (!a.type().isQuantized()) {
            return Rules.all(Rules.allFloats(node), Rules.reachable(node));
        }
        return Rules.all(
                Rules.require(
                        node.type() == ElementType.F32,
                        node.op() + " of quantised " + a.type() + " is for f32 results only, not for " + node.type()),
                Rules.typeIn(node, node.source(1), Rules.FLOATS),
                Copies.supports(a.layout(), node.layout()),
                Rules.reachable(node));
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        ViewArgument a = Views.of(step.operand(0));
        ViewArgument b = Views.of(step.operand(1));
        ViewArgument result = Views.of(step.result());
        if (a.layout().type().isQuantized()) {
            Copies.launch(a, result, out);
            function.launch(result, b, result, out);
        } else {
            function.launch(a, b, result, out);
        }
    }
}
