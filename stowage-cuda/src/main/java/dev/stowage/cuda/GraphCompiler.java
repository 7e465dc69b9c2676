package dev.stowage.cuda;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.error.DeviceException;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.Map;

/** Turns the nodes of graphs into launches. Stateless. */
interface GraphCompiler {

    /** Whether there are kernels for a node that is neither a leaf nor a view. */
    OpSupport supports(Tensor node, Gpu gpu);

    /**
     * Adds the launches of all nodes of a graph.
     *
     * @param device the name to put into messages
     * @throws DeviceException if there are none for a node
     */
    void compile(BoundGraph graph, LaunchList out, String device);

    /** Each node by the kernels of its op. */
    static GraphCompiler of(Map<Op, OpKernel> kernels) {
        return new GraphCompiler() {

            @Override
            public OpSupport supports(Tensor node, Gpu gpu) {
                OpKernel kernel = kernels.get(node.op());
                return kernel == null
                        ? OpSupport.no("there is no CUDA kernel for " + node.op())
                        : kernel.supports(node, gpu);
            }

            @Override
            public void compile(BoundGraph bound, LaunchList out, String device) {
                Graph graph = bound.graph();
                for (int node = 0; node < graph.nodeCount(); node++) {
                    if (graph.isComputed(node)
                            && !graph.isViewOp(node)
                            && !graph.node(node).shape().isEmpty()) {
                        compile(Step.of(bound, node), out, device);
                        out.endGroup(node, 1);
                    }
                }
            }

            private void compile(Step step, LaunchList out, String device) {
                Tensor node = step.result().tensor();
                OpSupport support = supports(node, out.gpu());
                OpKernel kernel = kernels.get(node.op());
                if (kernel == null || !support.isSupported()) {
                    throw DeviceException.of(device, "compute", node.describe(), support.reason());
                }
                try {
                    kernel.launch(step, out);
                } catch (StowageException e) {
                    throw e;
                } catch (RuntimeException e) {
                    throw DeviceException.of(device, "compute", node.describe(), String.valueOf(e.getMessage()))
                            .because(e);
                }
            }
        };
    }
}
