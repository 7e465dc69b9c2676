package dev.stowage.cuda;

import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.device.OpSupport;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;

/** Turns graphs into launches. {@link StandardCompiler} does it with the kernels of this module; tests have another. */
interface GraphCompiler {

    /** Whether there are kernels for a node that is neither a leaf nor a view. */
    OpSupport supports(Tensor node, Gpu gpu);

    /** The launches of a graph, all of whose nodes are supported. */
    LaunchList compile(BoundGraph graph, Gpu gpu);
}
