package dev.stowage.cuda;

import dev.stowage.cuda.op.GraphLaunches;
import dev.stowage.cuda.op.StandardKernels;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.device.OpSupport;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;

/** Turns graphs into launches of the kernels of this module. Stateless. */
enum StandardCompiler implements GraphCompiler {
    INSTANCE;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return StandardKernels.supports(node, gpu);
    }

    @Override
    public LaunchList compile(BoundGraph graph, Gpu gpu) {
        return GraphLaunches.of(graph, gpu);
    }
}
