package dev.stowage.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.stowage.cuda.kernel.KernelCatalog;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.cuda.recording.KernelBody;
import dev.stowage.cuda.recording.RecordingDriver;
import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.OpSupport;
import dev.stowage.graph.Graph;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Has every node computed by the reference backend in the memory of a {@link RecordingDriver}: each node is one launch of
 * a kernel whose argument is the number of the node among all that were compiled. Programs, capture and scratch memory are
 * the real ones.
 */
final class ReferenceCompiler implements GraphCompiler {

    /** A kernel of this module that takes a view, a number and a pointer, which is what the launches need. */
    private static final String KERNEL = "clamp_row_numbers";

    private static final long SCRATCH_BYTES = 256;

    private final RecordingDriver driver;
    private final Device device = DeviceRegistry.load().device("reference");
    private final Backend reference = device.open();
    private final Map<Long, DeviceMemoryAliases.Node> nodes = new HashMap<>();

    ReferenceCompiler(RecordingDriver driver) {
        this.driver = driver;
        driver.body(KERNEL, this::bind);
        driver.body("host_write", this::bindHostWrite);
    }

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return device.supports(node);
    }

    @Override
    public LaunchList compile(BoundGraph bound, Gpu gpu) {
        LaunchList out = new LaunchList(gpu, KernelCatalog.standard());
        Graph graph = bound.graph();
        for (int node = 0; node < graph.nodeCount(); node++) {
            if (graph.isComputed(node)
                    && !graph.isViewOp(node)
                    && !graph.node(node).shape().isEmpty()) {
                out.add(Launch.of(KERNEL)
                        .view(bound.tensor(node))
                        .i64(add(new DeviceMemoryAliases(driver, bound).node(node)))
                        .pointer(out.scratch(SCRATCH_BYTES)));
                out.endGroup(List.of(node));
            }
        }
        return out;
    }

    private synchronized long add(DeviceMemoryAliases.Node node) {
        long id = nodes.size();
        nodes.put(id, node);
        return id;
    }

    @SuppressWarnings("restricted") // the arguments are addresses, as for the driver
    private synchronized KernelBody.Bound bind(MemorySegment parameters) {
        long id = parameters.getAtIndex(ADDRESS, 1).reinterpret(Long.BYTES).get(JAVA_LONG, 0);
        DeviceMemoryAliases.Node node = nodes.get(id);
        if (node == null) {
            throw new IllegalStateException("there is no node " + id);
        }
        return new KernelBody.Bound(() -> compute(node), node.ranges());
    }

    /** Copies bytes of pinned memory: the source, the target, and how many. */
    @SuppressWarnings("restricted") // the arguments are addresses, as for the driver
    private KernelBody.Bound bindHostWrite(MemorySegment parameters) {
        long source = parameters.getAtIndex(ADDRESS, 0).reinterpret(Long.BYTES).get(JAVA_LONG, 0);
        long target = parameters.getAtIndex(ADDRESS, 1).reinterpret(Long.BYTES).get(JAVA_LONG, 0);
        long bytes =
                parameters.getAtIndex(ADDRESS, 2).reinterpret(Integer.BYTES).get(JAVA_INT, 0);
        return new KernelBody.Bound(() -> driver.copyToDevice(source, target, bytes), target, bytes);
    }

    private synchronized void compute(DeviceMemoryAliases.Node node) {
        driver.requireTaken(node.ranges());
        reference.compute(node.graph());
    }
}
