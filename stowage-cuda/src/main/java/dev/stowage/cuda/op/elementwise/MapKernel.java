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
import dev.stowage.tensor.Tensor;

/** Applies a function to every element. */
final class MapKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .require(MapFunction.of(node).isPresent(), "has parameters of another op: " + node.parameters())
                .allFloats()
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        MapFunction.Call call = MapFunction.of(step.result().tensor()).orElseThrow();
        ViewArgument a = Views.of(step.operand(0));
        ViewArgument result = Views.of(step.result());
        if (a.layout().isContiguous() && result.layout().isContiguous()) {
            a = Views.flat(a);
            result = Views.flat(result);
        }
        boolean byFour = a.layout().type() == result.layout().type()
                && Views.isAlignedToFour(a)
                && Views.isAlignedToFour(result);
        Launch launch = byFour
                ? RowGrid.launchByFour("map_rows", result.layout().shape())
                : RowGrid.launch("map_strided", result.layout().shape());
        launch.i32(call.function().code()).i32(a.layout().type().code());
        if (!byFour) {
            launch.i32(result.layout().type().code());
        }
        launch.f32(call.c0()).f32(call.c1()).f32(call.c2()).f32(call.c3());
        out.add(launch.argument(a).argument(result));
    }
}
