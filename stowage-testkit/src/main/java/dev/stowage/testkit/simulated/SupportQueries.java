package dev.stowage.testkit.simulated;

import dev.stowage.device.Device;
import dev.stowage.device.OpSupport;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The support queries of a simulated device: which ops it supports, and how often it has been asked. For a device that
 * is far away every query is a round trip. May be used from any thread.
 */
public final class SupportQueries {

    private final Function<Tensor, OpSupport> supports;
    private final Device kernels;
    private final AtomicInteger nodes = new AtomicInteger();
    private final AtomicInteger graphs = new AtomicInteger();

    SupportQueries(Function<Tensor, OpSupport> supports, Device kernels) {
        this.supports = supports;
        this.kernels = kernels;
    }

    /** How often it has been asked about a single node. */
    public int nodeQueries() {
        return nodes.get();
    }

    /** How often it has been asked about a whole graph. */
    public int graphQueries() {
        return graphs.get();
    }

    OpSupport ask(Tensor node) {
        nodes.incrementAndGet();
        return answer(node);
    }

    boolean[] ask(Graph graph) {
        graphs.incrementAndGet();
        boolean[] answers = new boolean[graph.nodeCount()];
        for (int node = 0; node < answers.length; node++) {
            answers[node] = answer(graph.node(node)).isSupported();
        }
        return answers;
    }

    /** The answer, for the backends of the device, which are not counted. */
    OpSupport answer(Tensor node) {
        if (node.isLeaf() || node.op().isViewOp()) {
            return OpSupport.yes();
        }
        OpSupport chosen = supports.apply(node);
        return chosen.isSupported() ? kernels.supports(node) : chosen;
    }
}
