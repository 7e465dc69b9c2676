package dev.stowage.cuda;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.driver.Driver.Context;
import dev.stowage.cuda.driver.Driver.Stream;
import dev.stowage.cuda.memory.DeviceContext;
import dev.stowage.cuda.memory.PinnedBuffer;
import dev.stowage.cuda.memory.PlainBuffer;
import dev.stowage.cuda.memory.ResourceStack;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Event;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.DeviceException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.RowRange;
import dev.stowage.plan.BoundGraph;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A stream of a GPU. Transfers, copies and graphs are put into the stream and the calls return; memory of tensors is kept
 * by the leases of {@link Backend} until {@code synchronize()}.
 */
final class CudaBackend extends Backend {

    private final CudaDevice device;
    private final DeviceContext context;
    private final Driver driver;
    private final Context handle;
    private final Stream stream;
    private final StreamTransfers transfers;
    private final UnitUploads unitUploads;
    private final StreamCopies copies;
    private final WeightFetches fetches;
    private final ProgramRunner runner;

    private CudaBackend(CudaDevice device, BackendOptions options, Stream stream, StreamCopies copies) {
        super(device);
        this.device = device;
        this.context = device.context();
        this.driver = context.driver();
        this.handle = context.handle();
        this.stream = stream;
        this.copies = copies;
        this.transfers = new StreamTransfers(context, stream);
        this.unitUploads = new UnitUploads(device, stream, transfers);
        this.fetches = new WeightFetches(context, stream);
        this.runner = new ProgramRunner(device, this, options, stream, transfers.deferred());
    }

    static CudaBackend open(CudaDevice device, BackendOptions options) {
        DeviceContext context = device.context();
        ResourceStack made = new ResourceStack();
        try {
            Stream stream = context.createStream("open");
            made.push(() -> context.destroyStream(stream));
            StreamCopies copies = StreamCopies.open(device, stream);
            made.push(copies::close);
            return new CudaBackend(device, options, stream, copies);
        } catch (RuntimeException | Error e) {
            made.close();
            throw e;
        }
    }

    /** The memory of a tensor, if it is plain memory of this GPU, which the stream reaches. */
    private @Nullable PlainBuffer own(BoundTensor tensor) {
        return tensor.buffer() instanceof PlainBuffer buffer && buffer.context().equals(context) ? buffer : null;
    }

    @Override
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        PlainBuffer buffer = own(tensor);
        if (buffer == null && !unitUploads.accepts(tensor, offset, source.byteSize())) {
            super.doSet(tensor, offset, source);
            return;
        }
        try {
            if (buffer == null) {
                unitUploads.write(tensor, offset, source);
            } else {
                transfers.writeBeforeProgram(buffer.deviceAddress() + tensor.offset() + offset, source);
            }
        } catch (CudaException e) {
            throw context.failure("set", tensor.describe(), e);
        }
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        PlainBuffer buffer = own(tensor);
        if (buffer == null || !StreamTransfers.canReadInto(tensor, target)) {
            super.doGet(tensor, offset, target);
            return;
        }
        try {
            transfers.read(buffer.deviceAddress() + tensor.offset() + offset, target);
        } catch (CudaException e) {
            throw context.failure("get", tensor.describe(), e);
        }
    }

    @Override
    protected void doSetRows(BoundTensor tensor, RowRange target, MemorySegment source, RowRange from) {
        PlainBuffer buffer = own(tensor);
        if (buffer == null || !StreamTransfers.canTransfer(target)) {
            super.doSetRows(tensor, target, source, from);
            return;
        }
        try {
            transfers.writeRows(buffer.deviceAddress() + tensor.offset(), target, source, from);
        } catch (CudaException e) {
            throw context.failure("set", tensor.describe(), e);
        }
    }

    @Override
    protected void doGetRows(BoundTensor tensor, RowRange source, MemorySegment target, RowRange to) {
        PlainBuffer buffer = own(tensor);
        if (buffer == null || !StreamTransfers.canReadInto(tensor, target) || !StreamTransfers.canTransfer(source)) {
            super.doGetRows(tensor, source, target, to);
            return;
        }
        try {
            transfers.readRows(buffer.deviceAddress() + tensor.offset(), source, target, to);
        } catch (CudaException e) {
            throw context.failure("get", tensor.describe(), e);
        }
    }

    @Override
    protected void doFill(BoundTensor tensor, long offset, long length, byte value) {
        PlainBuffer buffer = own(tensor);
        if (buffer == null) {
            super.doFill(tensor, offset, length, value);
            return;
        }
        if (length > 0) {
            try {
                transfers.deferred().submit();
                driver.memsetD8Async(handle, buffer.deviceAddress() + tensor.offset() + offset, value, length, stream);
            } catch (CudaException e) {
                throw context.failure("fill", tensor.describe(), e);
            }
        }
    }

    @Override
    protected boolean doTryCopy(Backend producer, BoundTensor from, BoundTensor to) {
        PlainBuffer target = own(to);
        if (target != null && isFetched(producer, from)) {
            return fetch(target, from, to);
        }
        if (target == null
                || !(from.buffer() instanceof PlainBuffer source)
                || !(producer instanceof CudaBackend other)
                || !device.sharesDriver(other.device)) {
            return false;
        }
        if (StreamCopies.overlapInPart(source, from, target, to)) {
            return false;
        }
        if (to.byteSize() > 0) {
            try {
                transfers.deferred().submit();
                other.transfers.deferred().submit();
                copies.copy(other.copies, source, from, target, to);
            } catch (CudaException e) {
                throw context.failure("copy", to.describe(), e);
            }
        }
        return true;
    }

    /** Whether a tensor is a weight in pinned memory, whose device has nothing under way that writes it. */
    private static boolean isFetched(Backend producer, BoundTensor from) {
        return from.buffer() instanceof PinnedBuffer pinned
                && pinned.usage() == BufferUsage.WEIGHTS
                && !producer.device().capabilities().contains(Capability.ASYNC);
    }

    private boolean fetch(PlainBuffer target, BoundTensor from, BoundTensor to) {
        if (to.byteSize() > 0 && from.buffer() instanceof PinnedBuffer pinned) {
            long source = pinned.segment().address() + from.offset();
            try {
                fetches.copy(target.deviceAddress() + to.offset(), pinned, source, to.byteSize());
            } catch (CudaException e) {
                throw context.failure("copy", to.describe(), e);
            }
        }
        return true;
    }

    @Override
    protected boolean doPrefetch(BoundTensor weight) {
        if (weight.byteSize() == 0
                || !(weight.buffer() instanceof PinnedBuffer pinned)
                || pinned.usage() != BufferUsage.WEIGHTS) {
            return false;
        }
        try {
            return fetches.announce(pinned, pinned.segment().address() + weight.offset(), weight.byteSize());
        } catch (CudaException e) {
            throw context.failure("copy", weight.describe(), e);
        }
    }

    @Override
    protected void doCancelPrefetch() {
        fetches.cancel();
    }

    @Override
    protected void doCompute(BoundGraph graph) {
        runner.compute(graph);
    }

    @Override
    protected PreparedGraph doPrepare(BoundGraph graph) {
        return new CudaPreparedGraph(this, runner, graph);
    }

    @Override
    protected void doSynchronize() {
        try {
            transfers.deferred().submit();
            driver.streamSynchronize(handle, stream);
            fetches.synchronize();
        } catch (CudaException e) {
            transfers.drop();
            throw context.failure("synchronize", e);
        }
        transfers.complete();
        runner.requireRowsFound();
    }

    @Override
    protected void doRecord(Event event) {
        if (event instanceof CudaEvent own && own.device().equals(device)) {
            submitDeferred("record");
            own.record(stream);
        } else {
            throw DeviceException.of(
                    name(),
                    "record",
                    "the event belongs to device '" + event.device().name() + "': record one that this device made");
        }
    }

    @Override
    protected void doAwait(Event event) {
        if (event instanceof CudaEvent other && device.sharesDriver(other.device())) {
            submitDeferred("await");
            other.await(context, stream);
        } else {
            super.doAwait(event);
        }
    }

    private void submitDeferred(String call) {
        try {
            transfers.deferred().submit();
        } catch (CudaException e) {
            throw context.failure(call, e);
        }
    }

    @Override
    protected void doClose() {
        try {
            if (device.lossCause().isEmpty()) {
                doSynchronize();
            }
        } finally {
            context.destroyStream(stream);
            transfers.close();
            unitUploads.close();
            fetches.close();
            runner.close();
            copies.close();
        }
    }
}
