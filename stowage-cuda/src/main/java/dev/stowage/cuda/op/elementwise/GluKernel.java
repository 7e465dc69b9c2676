package dev.stowage.cuda.op.elementwise;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.strided.RowGrid;
import dev.stowage.cuda.op.strided.Views;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.Launch.ViewArgument;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;

/** Gated linear units of two operands, or of the two halves of each row of one. */
final class GluKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        ElementType type = node.type();
        boolean oneType = node.source(0).type() == type
                && (!node.hasSource(1) || node.source(1).type() == type);
        return Requirements.of(node)
                .require(GluArguments.areKnown(node.parameters()), "has parameters of another op: " + node.parameters())
                .allFloats()
                .require(oneType, "is for operands of the type of the result, " + type)
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        ViewArgument result = Views.of(step.result());
        ViewArgument gate = Views.of(step.operand(0));
        ViewArgument up = step.hasOperand(1) ? Views.of(step.operand(1)) : gate;
        if (!step.hasOperand(1)) {
            boolean swapped = step.parameters() instanceof OpParameters.Glu glu && glu.swapped();
            ViewArgument first = half(gate, result.layout(), 0);
            ViewArgument second = half(gate, result.layout(), 1);
            gate = swapped ? second : first;
            up = swapped ? first : second;
        } else if (gate.layout().isContiguous()
                && up.layout().isContiguous()
                && result.layout().isContiguous()) {
            gate = Views.flat(gate);
            up = Views.flat(up);
            result = Views.flat(result);
        }
        boolean byFour = Views.isAlignedToFour(gate) && Views.isAlignedToFour(up) && Views.isAlignedToFour(result);
        Launch launch = byFour
                ? RowGrid.launchByFour("glu_rows", result.layout().shape())
                : RowGrid.launch("glu_strided", result.layout().shape());
        out.add(GluArguments.of(step.parameters())
                .addTo(launch)
                .i32(step.result().type().code())
                .argument(gate)
                .argument(up)
                .argument(result));
    }

    /** Half of each row of an operand. */
    private static ViewArgument half(ViewArgument both, Layout result, int number) {
        Layout layout =
                Layout.strided(result.type(), result.shape(), both.layout().strides());
        return new ViewArgument(
                both.address()
                        + number * result.shape().d0() * both.layout().strides().s0(),
                layout);
    }
}
