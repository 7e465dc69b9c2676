package dev.stowage.reference;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.RunListener;
import dev.stowage.device.Step;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.plan.BoundGraph;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs the nodes of a graph one after the other in the calling thread; everything is done when a call returns. */
final class ReferenceBackend extends Backend {

    private final BackendOptions options;
    private final @Nullable RunListener listener;

    ReferenceBackend(ReferenceDevice device, BackendOptions options) {
        super(device);
        this.options = options;
        this.listener = options.listener().orElse(null);
    }

    @Override
    protected void doCompute(BoundGraph bound) {
        Graph graph = bound.graph();
        for (int node = 0; node < graph.nodeCount(); node++) {
            Tensor result = graph.node(node);
            if (options.abort().getAsBoolean()) {
                throw DeviceException.of(
                        name(), "compute", result.describe(), "the caller asked to stop before this node");
            }
            if (result.op() != Op.NONE
                    && !result.op().isViewOp()
                    && !result.shape().isEmpty()) {
                RunListener current = listener;
                if (current == null) {
                    compute(bound, node);
                } else {
                    computeAndReport(bound, node, current);
                }
            }
        }
    }

    private void computeAndReport(BoundGraph bound, int node, RunListener current) {
        long start = System.nanoTime();
        compute(bound, node);
        current.computed(this, List.of(bound.graph().node(node)), start, System.nanoTime());
    }

    private void compute(BoundGraph bound, int node) {
        Tensor result = bound.graph().node(node);
        Kernel kernel = KernelRegistry.of(result.op())
                .filter(found -> found.supports(result).isSupported())
                .orElseThrow(() -> DeviceException.of(
                        name(),
                        "compute",
                        result.describe(),
                        device().supports(result).reason()));
        try {
            kernel.compute(Step.of(bound, node));
        } catch (RuntimeException e) {
            throw DeviceException.of(name(), "compute", result.describe(), String.valueOf(e.getMessage()))
                    .because(e);
        }
    }

    @Override
    protected void doClose() {}
}
