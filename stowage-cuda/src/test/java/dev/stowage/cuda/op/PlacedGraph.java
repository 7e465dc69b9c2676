package dev.stowage.cuda.op;

import dev.stowage.cuda.kernel.KernelCatalog;
import dev.stowage.cuda.memory.NativeDeviceMemory;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.device.Step;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.OpRun;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A graph whose tensors are stored one after the other in memory that counts as a GPU's. */
public final class PlacedGraph implements AutoCloseable {

    /** A device of Hopper's size. */
    public static final Gpu HOPPER = new Gpu(90, 132, 227 << 10, 50L << 20);

    private static final long ALIGNMENT = 256;

    private final Graph graph;
    private final Buffer buffer;
    private final BoundGraph bound;

    private PlacedGraph(Graph graph, Buffer buffer) {
        this.graph = graph;
        this.buffer = buffer;
        this.bound = BoundGraph.of(graph);
    }

    /** All tensors apart from each other. */
    public static PlacedGraph apart(Graph graph) {
        return placed(graph, null, null);
    }

    /** One result is stored over an operand. */
    public static PlacedGraph over(Graph graph, Tensor result, Tensor operand) {
        return placed(graph, result, operand);
    }

    @SuppressWarnings("ReferenceEquality") // the very tensor is meant
    private static PlacedGraph placed(Graph graph, @Nullable Tensor result, @Nullable Tensor operand) {
        List<Tensor> own = OpRun.tensors(graph).stream()
                .filter(tensor -> !tensor.isView() && tensor != result)
                .toList();
        long bytes = own.stream()
                .mapToLong(tensor -> Math.ceilDiv(tensor.byteSize(), ALIGNMENT) * ALIGNMENT)
                .sum();
        Buffer buffer = new NativeDeviceMemory().allocate(bytes);
        long at = 0;
        for (Tensor tensor : own) {
            buffer.place(tensor, at);
            at += Math.ceilDiv(tensor.byteSize(), ALIGNMENT) * ALIGNMENT;
        }
        if (result != null && operand != null) {
            buffer.place(result, operand.storageOffset());
        }
        return new PlacedGraph(graph, buffer);
    }

    /** The graph with its memory. */
    public BoundGraph bound() {
        return bound;
    }

    /** The steps that are not views. */
    public List<Step> steps() {
        return graph.nodes().stream()
                .filter(node -> node.op() != Op.NONE && !node.op().isViewOp())
                .map(this::step)
                .toList();
    }

    private Step step(Tensor node) {
        return Step.of(bound, graph.nodes().indexOf(node));
    }

    /** The launches of all steps that are not empty, checked against the kernels there are. */
    public LaunchList launches(Map<Op, OpKernel> kernels) {
        LaunchList launches = new LaunchList(HOPPER, KernelCatalog.standard());
        for (Step step : steps()) {
            OpKernel kernel = kernels.get(step.op());
            if (kernel == null) {
                throw new IllegalArgumentException("there is no kernel for " + step.op());
            }
            if (!step.result().shape().isEmpty()) {
                kernel.launch(step, launches);
            }
        }
        return launches;
    }

    @Override
    public void close() {
        buffer.close();
    }
}
