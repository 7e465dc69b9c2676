package dev.stowage.cuda.op;

import dev.stowage.cuda.kernel.KernelCatalog;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.device.Step;
import dev.stowage.device.fusion.FusionMatcher;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Op;
import java.util.Map;

/** Turns a bound graph into launches: nodes that can be computed as one by a fusion, the others by the kernel of their op. */
public final class GraphLaunches implements FusionMatcher.Visitor<CudaFusion> {

    private final BoundGraph graph;
    private final LaunchList out;
    private final Map<Op, OpKernel> kernels = StandardKernels.ofOneProgram();

    private GraphLaunches(BoundGraph graph, LaunchList out) {
        this.graph = graph;
        this.out = out;
    }

    /** The launches of a graph whose nodes are all supported. */
    public static LaunchList of(BoundGraph graph, Gpu gpu) {
        LaunchList out = new LaunchList(gpu, KernelCatalog.standard(), graph);
        StandardKernels.matcher().walk(graph.graph(), new GraphLaunches(graph, out));
        return out;
    }

    @Override
    public boolean fuse(CudaFusion fusion, int first, int count) {
        for (int node = first; node < first + count; node++) {
            if (graph.graph().node(node).shape().isEmpty()) {
                return false;
            }
        }
        boolean isFused = fusion.launch(graph, first, count, out);
        if (isFused) {
            out.endGroup(first, count);
        }
        return isFused;
    }

    @Override
    public void single(int node) {
        if (graph.graph().isComputed(node)
                && !graph.graph().isViewOp(node)
                && !graph.graph().node(node).shape().isEmpty()) {
            OpKernel kernel = kernels.get(graph.graph().op(node));
            if (kernel == null) {
                throw new IllegalStateException("there is no CUDA kernel for "
                        + graph.graph().node(node).describe());
            }
            kernel.launch(Step.of(graph, node), out);
            out.endGroup(node, 1);
        }
    }
}
