package dev.stowage.bench.ops;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.OpSupport;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferUsage;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.OpRun;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** A device of ours: leaves in memory of their own, nodes where the planner puts them, the graph prepared. */
final class DeviceContender implements Contender {

    private final String variant;
    private final BenchWorkload workload;
    private final List<Buffer> buffers = new ArrayList<>();
    private final GraphAllocator allocator;
    private final Backend backend;
    private final BoundGraph bound;
    private final PreparedGraph prepared;

    private DeviceContender(boolean repacked, Device device, BenchWorkload workload, int threads) {
        this.variant = repacked ? "repacked" : "plain";
        this.workload = workload;
        this.allocator = GraphAllocator.on(device.bufferType());
        this.backend = device.open(BackendOptions.defaults().withThreads(threads));
        try {
            if (repacked) {
                buffers.addAll(PreferredWeightBuffer.place(device, workload.graph()));
            }
            placeTheRest(device);
            fill();
            this.bound = allocator.bind(workload.graph());
            requireSupport(device, workload.graph());
            this.prepared = backend.prepare(bound);
        } catch (RuntimeException | Error e) {
            closeAll();
            throw e;
        }
    }

    /** With weights in the memory that the device prefers for them, as models have them. */
    static DeviceContender preferred(Device device, BenchWorkload workload, int threads) {
        return new DeviceContender(true, device, workload, threads);
    }

    /**
     * All ways the device has to compute a workload, which is made anew for each: a tensor has one place at a time.
     *
     * @throws DeviceException if it cannot compute it
     */
    static List<Contender> all(Device device, Supplier<BenchWorkload> workload, int threads) {
        List<Contender> all = new ArrayList<>();
        try {
            BenchWorkload first = workload.get();
            all.add(new DeviceContender(false, device, first, threads));
            if (PreferredWeightBuffer.isThere(device, first.graph())) {
                all.add(new DeviceContender(true, device, workload.get(), threads));
            }
            return all;
        } catch (RuntimeException | Error e) {
            all.forEach(Contender::close);
            throw e;
        }
    }

    private void placeTheRest(Device device) {
        // Not for computing: the planner is to leave them alone, so that the next run finds them unchanged.
        buffers.add(Allocations.allocateAll(workload.graph().leaves(), device.bufferType())
                .setUsage(BufferUsage.WEIGHTS));
    }

    private void fill() {
        for (Tensor leaf : workload.graph().leaves()) {
            if (!leaf.isView()) {
                Buffer.of(leaf).set(leaf, 0, workload.contents(leaf));
            }
        }
    }

    private static void requireSupport(Device device, Graph graph) {
        for (Tensor node : graph.nodes()) {
            OpSupport support = node.op() == Op.NONE ? OpSupport.yes() : device.supports(node);
            if (!support.isSupported()) {
                throw DeviceException.of(device.name(), "compute", node.describe(), support.reason());
            }
        }
    }

    @Override
    public String variant() {
        return variant;
    }

    Backend backend() {
        return backend;
    }

    /** Has everything computed once; it is done when the backend has been synchronised. */
    void submit() {
        prepared.computeAsync();
    }

    @Override
    public void run() {
        backend.compute(prepared);
    }

    @Override
    public double[] result() {
        return OpRun.read(bound.tensor(workload.result()));
    }

    @Override
    public void close() {
        prepared.close();
        closeAll();
    }

    private void closeAll() {
        backend.close();
        allocator.close();
        buffers.forEach(Buffer::close);
    }
}
