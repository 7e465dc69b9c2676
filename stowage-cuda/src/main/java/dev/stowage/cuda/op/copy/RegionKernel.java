package dev.stowage.cuda.op.copy;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.strided.BinaryFunction;
import dev.stowage.cuda.op.strided.Copies;
import dev.stowage.cuda.op.strided.Views;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch.ViewArgument;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Strides;
import dev.stowage.tensor.Tensor;

/**
 * The first operand with the second put into a region of it, or added to one.
 *
 * @param adds whether the second operand is added to what is there (ACC), not put in its place (SET)
 */
record RegionKernel(boolean adds) implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        if (!(node.parameters() instanceof OpParameters.Region where)) {
            return Requirements.of(node).parameters(OpParameters.Region.class).answer();
        }
        Layout a = node.source(0).layout();
        Layout b = node.source(1).layout();
        return Requirements.of(node)
                .require(
                        !adds
                                || (node.type() == ElementType.F32
                                        && a.type() == ElementType.F32
                                        && b.type() == a.type()),
                        "is for f32 only")
                .require(
                        where.inPlace() || a.equals(node.layout()) || a.isContiguous(),
                        "has a region in bytes of an operand with gaps, " + a + ", which the result does not have")
                .require(a.type() == b.type(), "is for operands of one type")
                .require(
                        isAligned(where, a.type()),
                        "is for regions of whole elements, not for one at byte " + where.offset())
                .also(Copies.supports(a, node.layout()))
                .also(Copies.supports(b, regionLayout(b, where)))
                .reachable()
                .answer();
    }

    private static boolean isAligned(OpParameters.Region where, ElementType type) {
        int step = type.bytesPerBlock();
        return where.offset() % step == 0
                && where.stride1() % step == 0
                && where.stride2() % step == 0
                && where.stride3() % step == 0;
    }

    private static Layout regionLayout(Layout b, OpParameters.Region where) {
        Strides strides = new Strides(b.type().bytesPerBlock(), where.stride1(), where.stride2(), where.stride3());
        return Layout.strided(b.type(), b.shape(), strides);
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        if (!(step.parameters() instanceof OpParameters.Region where)) {
            throw new IllegalStateException(step.result().describe() + " is not supported");
        }
        ViewArgument a = Views.of(step.operand(0));
        ViewArgument b = Views.of(step.operand(1));
        ViewArgument result = Views.of(step.result());
        if (!where.inPlace()) {
            Copies.launch(a, result, out);
        }
        if (b.layout().shape().isEmpty()) {
            return;
        }
        ViewArgument region = new ViewArgument(result.address() + where.offset(), regionLayout(b.layout(), where));
        if (adds) {
            BinaryFunction.ADD.launch(region, b, region, out);
        } else {
            Copies.launch(b, region, out);
        }
    }
}
