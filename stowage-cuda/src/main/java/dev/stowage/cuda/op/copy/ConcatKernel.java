package dev.stowage.cuda.op.copy;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.strided.Copies;
import dev.stowage.cuda.op.strided.Views;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch.ViewArgument;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;

/** The first operand at the start of the result, the second after it along a dimension: two copies. */
final class ConcatKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        Tensor a = node.source(0);
        Tensor b = node.source(1);
        return Requirements.of(node)
                .parameters(OpParameters.Concat.class)
                .require(a.type() == node.type() && b.type() == node.type(), "is for one type")
                .also(Copies.supports(a.layout(), part(node.layout(), a.layout())))
                .also(Copies.supports(b.layout(), part(node.layout(), b.layout())))
                .reachable()
                .answer();
    }

    /** The layout of a part of the result that has the shape of an operand. */
    private static Layout part(Layout result, Layout operand) {
        return Layout.strided(result.type(), operand.shape(), result.strides());
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        if (!(step.parameters() instanceof OpParameters.Concat(int dimension))) {
            throw new IllegalStateException(step.result().describe() + " is not supported");
        }
        ViewArgument a = Views.of(step.operand(0));
        ViewArgument b = Views.of(step.operand(1));
        ViewArgument result = Views.of(step.result());
        long index = a.layout().shape().dim(dimension);
        long blocks = dimension == 0 ? index / a.layout().type().blockSize() : index;
        long offset = blocks * result.layout().strides().stride(dimension);
        Copies.launch(a, new ViewArgument(result.address(), part(result.layout(), a.layout())), out);
        Copies.launch(b, new ViewArgument(result.address() + offset, part(result.layout(), b.layout())), out);
    }
}
