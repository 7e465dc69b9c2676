package dev.stowage.cuda.op.elementwise;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.strided.BinaryFunction;
import dev.stowage.cuda.op.strided.Copies;
import dev.stowage.cuda.op.strided.RowGrid;
import dev.stowage.cuda.op.strided.Views;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.Launch.ViewArgument;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;

/** {@code f(a, b)} with the second operand repeated over the first, which may be quantised. */
record BinaryKernel(BinaryFunction function) implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        ElementType first = node.source(0).type();
        if (!first.isQuantized()) {
            return Requirements.of(node).allFloats().reachable().answer();
        }
        return Requirements.of(node)
                .require(
                        Requirements.FLOATS.contains(node.type()) || Copies.ENCODED.contains(node.type()),
                        "of " + first + " does not write " + node.type())
                .type(1, Requirements.FLOATS)
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        ViewArgument a = Views.of(step.operand(0));
        ViewArgument b = Views.of(step.operand(1));
        ViewArgument result = Views.of(step.result());
        if (!a.layout().type().isQuantized()) {
            function.launch(a, b, result, out);
            return;
        }
        Launch launch = result.layout().type().isQuantized()
                ? RowGrid.launchByWarp("binary_encode", result.layout().shape())
                : RowGrid.launch("binary_decode", result.layout().shape());
        out.add(function.arguments(launch, a, b, result));
    }
}
