package dev.stowage.cuda.op.strided;

import dev.stowage.cuda.kernel.KernelCatalog;
import dev.stowage.cuda.memory.AddressOnlyMemory;
import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.copy.CopyFamily;
import dev.stowage.cuda.op.elementwise.ElementwiseFamily;
import dev.stowage.cuda.op.row.RowFamily;
import dev.stowage.cuda.op.window.WindowFamily;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.OpRun;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What the families of this package turn graphs into, checked against the signatures of the compiled kernels. */
public final class StridedLaunches {

    public static final Gpu HOPPER = new Gpu(90, 132, 227 << 10, 50L << 20);

    private static final long ADDRESS = 0x7000_0000_0000L;

    private StridedLaunches() {}

    /** The kernels of the families that use this package. */
    public static Map<Op, OpKernel> kernels() {
        Map<Op, OpKernel> kernels = new EnumMap<>(Op.class);
        kernels.putAll(ElementwiseFamily.kernels());
        kernels.putAll(CopyFamily.kernels());
        kernels.putAll(RowFamily.kernels());
        kernels.putAll(WindowFamily.kernels());
        return kernels;
    }

    /** Whether the kernels here compute all nodes of a graph. */
    public static OpSupport support(Graph graph) {
        for (Tensor node : graph.nodes()) {
            if (isComputed(node)) {
                OpSupport support = kernels().get(node.op()).supports(node, HOPPER);
                if (!support.isSupported()) {
                    return support;
                }
            }
        }
        return OpSupport.yes();
    }

    /** The launches of a graph whose tensors are stored at multiples of 256 bytes. */
    public static List<Launch> of(Graph graph) {
        LaunchList launches = new LaunchList(HOPPER, KernelCatalog.standard());
        try (Buffer _ = Allocations.allocateAll(OpRun.tensors(graph), new AddressOnlyMemory(ADDRESS))) {
            BoundGraph bound = BoundGraph.of(graph);
            for (Tensor node : graph.nodes()) {
                if (isComputed(node) && !node.shape().isEmpty()) {
                    kernels().get(node.op()).launch(Step.of(bound, graph.idOf(node)), launches);
                }
            }
        }
        return launches.launches();
    }

    private static boolean isComputed(Tensor node) {
        return node.op() != Op.NONE && !node.op().isViewOp();
    }
}
