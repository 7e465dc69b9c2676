package dev.stowage.testkit.simulated;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Event;
import dev.stowage.device.OpSupport;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.AccessException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.RowRange;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.AwaitTask.Reason;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A stream of work on a simulated device. Every call is checked when it is made and turned into tasks for a thread of
 * its own; where the device is not async, the caller waits for them.
 */
final class SimulatedBackend extends Backend {

    private final SimulatedDevice device;
    private final Backend kernels;
    private final BackendOptions options;
    private final WorkQueue queue;
    private final StreamAccesses accesses;

    SimulatedBackend(SimulatedDevice device, Backend kernels, BackendOptions options) {
        super(device);
        this.device = device;
        this.kernels = kernels;
        this.options = options;
        this.queue = new WorkQueue(device, "stowage-" + device.name() + "-" + id());
        device.streams().opened(queue);
        this.accesses = StreamAccesses.of(device);
    }

    @Override
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        @Nullable SimulatedBuffer buffer = HiddenBytes.bufferOf(tensor);
        if (buffer == null || !source.isAccessibleBy(queue.worker())) {
            super.doSet(tensor, offset, source);
            accesses.hostWrote(tensor, offset, source);
            return;
        }
        MemorySegment target = HiddenBytes.range(buffer, tensor, offset, source);
        if (target.byteSize() == 0) {
            return;
        }
        device.logs().add(new Call.Set(tensor.tensor()));
        device.logs().addUpload(tensor.tensor(), offset, source, true);
        accesses.set(tensor, offset, source, target);
        submit(new BytesTask(
                device.calls().transfer(CallKind.SET, Optional.of(tensor.tensor()), source.byteSize()),
                source,
                target,
                Optional.empty()));
    }

    @Override
    protected void doFill(BoundTensor tensor, long offset, long length, byte value) {
        @Nullable SimulatedBuffer buffer = HiddenBytes.bufferOf(tensor);
        if (buffer == null) {
            super.doFill(tensor, offset, length, value);
            return;
        }
        MemorySegment target = HiddenBytes.of(buffer, tensor).asSlice(offset, length);
        if (length > 0) {
            accesses.fill(tensor, offset, target);
            submit(new FillTask(device.calls().transfer(CallKind.SET, Optional.of(tensor.tensor()), 0), target, value));
        }
    }

    @Override
    protected void doSetRows(BoundTensor tensor, RowRange target, MemorySegment source, RowRange from) {
        @Nullable SimulatedBuffer buffer = HiddenBytes.bufferOf(tensor);
        if (buffer == null || !source.isAccessibleBy(queue.worker())) {
            super.doSetRows(tensor, target, source, from);
            return;
        }
        MemorySegment all = HiddenBytes.of(buffer, tensor);
        if (target.byteSize() > 0) {
            device.logs().add(new Call.Set(tensor.tensor()));
            accesses.setRows(tensor, target, source, from, all);
            submit(new RowsTask(
                    device.calls().transfer(CallKind.SET, Optional.of(tensor.tensor()), target.byteSize()),
                    source,
                    from,
                    all,
                    target));
        }
    }

    @Override
    protected void doGetRows(BoundTensor tensor, RowRange source, MemorySegment target, RowRange to) {
        @Nullable SimulatedBuffer buffer = HiddenBytes.bufferOf(tensor);
        if (buffer == null || !target.isAccessibleBy(queue.worker()) || target.isReadOnly()) {
            super.doGetRows(tensor, source, target, to);
            return;
        }
        MemorySegment all = HiddenBytes.of(buffer, tensor);
        if (source.byteSize() > 0) {
            device.logs().add(new Call.Get(tensor.tensor()));
            accesses.getRows(tensor, source, target, to, all);
            submit(new RowsTask(
                    device.calls().transfer(CallKind.GET, Optional.of(tensor.tensor()), source.byteSize()),
                    all,
                    source,
                    target,
                    to));
        }
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        @Nullable SimulatedBuffer buffer = HiddenBytes.bufferOf(tensor);
        if (buffer == null || !target.isAccessibleBy(queue.worker())) {
            super.doGet(tensor, offset, target);
            accesses.hostRead(tensor, offset, target);
            return;
        }
        MemorySegment source = HiddenBytes.range(buffer, tensor, offset, target);
        if (target.isReadOnly()) {
            throw new AccessException("cannot read " + tensor.describe() + " into a read-only segment of "
                    + target.byteSize() + " bytes");
        }
        if (target.byteSize() == 0) {
            return;
        }
        device.logs().add(new Call.Get(tensor.tensor()));
        accesses.get(tensor, offset, source, target);
        submit(new BytesTask(
                device.calls().transfer(CallKind.GET, Optional.of(tensor.tensor()), target.byteSize()),
                source,
                target,
                Optional.empty()));
    }

    /**
     * Copies in the order of both: this stream waits for the producer's work so far, and the producer's work from now
     * on waits until the copy is over, as it may change what is being read.
     */
    @Override
    protected boolean doTryCopy(Backend producer, BoundTensor from, BoundTensor to) {
        @Nullable SimulatedBuffer source = HiddenBytes.bufferOf(from);
        @Nullable SimulatedBuffer target = HiddenBytes.bufferOf(to);
        if (!(producer instanceof SimulatedBackend other) || !device.copiesAsyncFrom(other.device)) {
            return false;
        }
        if (source == null || target == null) {
            return false;
        }
        Work work = device.calls().copy(source.device(), Optional.of(to.tensor()), to.byteSize());
        handCopy(
                other,
                new BytesTask(
                        work, HiddenBytes.of(source, from), HiddenBytes.of(target, to), Optional.of(source.device())));
        accesses.copyInOrder(other.accesses, source.read(from), target.written(to));
        device.logs().add(new Call.CopyAsync(from.tensor(), to.tensor()));
        return true;
    }

    private void handCopy(SimulatedBackend producer, BytesTask copy) {
        if (producer == this) {
            queue.submit(List.of(copy));
            return;
        }
        Fence computed = new Fence();
        Fence copied = new Fence();
        producer.queue.submit(List.of(new FenceTask(producer.device.calls().event(), computed, Optional.empty())));
        queue.submit(List.of(
                new AwaitTask(copy.work(), computed, Reason.SOURCE_OF_COPY),
                copy,
                new FenceTask(device.calls().event(), copied, Optional.empty())));
        producer.queue.submit(List.of(new AwaitTask(producer.device.calls().event(), copied, Reason.COPY_OVER)));
    }

    @Override
    protected void doCompute(BoundGraph bound) {
        HostAliases aliases = new HostAliases(device, bound);
        Graph graph = bound.graph();
        List<QueuedTask> tasks = new ArrayList<>();
        for (int node = 0; node < graph.nodeCount(); node++) {
            Tensor result = graph.node(node);
            if (!result.isLeaf() && !result.op().isViewOp() && !result.shape().isEmpty()) {
                BoundGraph alias = aliases.ofNode(node);
                tasks.add(task(result, alias));
                accesses.compute(alias);
            }
        }
        if (!aliases.opened().isEmpty()) {
            tasks.add(new CloseTask(device.calls().event(), aliases.opened()));
        }
        device.logs().add(new Call.Compute(device.name(), graph.nodes()));
        submit(tasks);
    }

    private NodeTask task(Tensor node, BoundGraph alias) {
        Work work = device.calls().compute(node);
        OpSupport support = device.supportQueries().answer(node);
        if (!support.isSupported()) {
            throw work.failure(support.reason());
        }
        return new NodeTask(work, this, kernels, options, alias);
    }

    @Override
    protected PreparedGraph doPrepare(BoundGraph graph) {
        device.countPreparation();
        return super.doPrepare(graph);
    }

    @Override
    protected void doSynchronize() {
        device.logs().add(new Call.Sync(device.name()));
        accesses.finish();
        queue.finish();
    }

    @Override
    protected void doRecord(Event event) {
        if (!device.hasEvents()) {
            super.doRecord(event);
        } else if (event instanceof SimulatedEvent own && event.device() == device) {
            Fence fence = own.moved();
            device.logs().add(new Call.EventRecord(own.name(), device.name()));
            accesses.signal(fence);
            submit(new FenceTask(device.calls().event(), fence, Optional.of(own)));
        } else {
            throw DeviceException.of(
                    name(),
                    "record",
                    "the event belongs to device '" + event.device().name() + "': record one that this device made");
        }
    }

    @Override
    protected void doAwait(Event event) {
        if (event instanceof SimulatedEvent simulated) {
            Fence fence = simulated.fence();
            device.logs().add(new Call.EventWait(device.name(), simulated.name()));
            accesses.await(fence);
            submit(new AwaitTask(device.calls().event(), fence, Reason.EVENT));
        } else {
            super.doAwait(event);
        }
    }

    @Override
    protected void doClose() {
        accesses.finish();
        try {
            queue.close();
        } finally {
            kernels.close();
            device.streams().closed(queue);
        }
    }

    private void submit(QueuedTask task) {
        submit(List.of(task));
    }

    private void submit(List<? extends QueuedTask> tasks) {
        queue.submit(tasks);
        if (!device.isAsync()) {
            accesses.finish();
            queue.finish();
        }
    }
}
