package dev.stowage.testkit.simulated;

import dev.stowage.device.Capability;
import dev.stowage.error.AllocationException;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The memory of a simulated device: so much and no more, in buffers of a largest size, counted. */
final class SimulatedMemory implements BufferType {

    /** What new memory is filled with, as callers may not rely on zeros: as floats this is NaN. */
    private static final byte GARBAGE = (byte) 0xff;

    private final SimulatedDevice device;
    private final HostBufferType hidden;
    private final long alignment;
    private final long maxBufferSize;
    private final long limit;
    private final boolean host;
    private final boolean addresses;
    private final MemoryQueries queries;

    private int openBuffers;
    private long openBytes;

    SimulatedMemory(SimulatedDevice device, SimulatedDeviceBuilder made) {
        this.device = device;
        this.hidden = new HostBufferType(made.bufferTypeName, made.alignment, Long.MAX_VALUE);
        this.alignment = made.alignment;
        this.maxBufferSize = made.maxBufferSize;
        this.limit = made.memoryLimit;
        this.host = made.hostMemory;
        this.addresses = made.addresses;
        this.queries = new MemoryQueries(made.capabilities.contains(Capability.BULK_QUERIES));
        if (maxBufferSize < 0 || limit < 0) {
            throw new AllocationException(
                    "the memory " + name() + " cannot have buffers of at most " + maxBufferSize + " bytes and " + limit
                            + " bytes in all",
                    name(),
                    0,
                    limit);
        }
    }

    @Override
    public String name() {
        return hidden.name();
    }

    @Override
    public long alignment() {
        return alignment;
    }

    @Override
    public long maxBufferSize() {
        return maxBufferSize;
    }

    @Override
    public long allocationSize(Tensor tensor) {
        queries.askSize(tensor);
        return tensor.byteSize();
    }

    @Override
    public boolean hasBulkCalls() {
        return queries.isBulk();
    }

    @Override
    public void fetchAllocationSizes(List<Tensor> tensors) {
        queries.askSizes(tensors);
    }

    MemoryQueries queries() {
        return queries;
    }

    @Override
    public boolean isHost() {
        return host;
    }

    /** Whether its buffers have an address, which is not one of the host, or are handles. */
    boolean hasAddresses() {
        return addresses;
    }

    /** The device this memory belongs to. */
    SimulatedDevice device() {
        return device;
    }

    @Override
    public Buffer allocate(long size) {
        if (size < 0 || size > maxBufferSize) {
            throw refusal(size, maxBufferSize, "a buffer has 0 to " + maxBufferSize + " bytes");
        }
        device.streams().require("allocate");
        if (size > 0) {
            meetFaults(size);
        }
        take(size);
        try {
            Buffer bytes = hidden.allocate(size);
            bytes.clear(GARBAGE);
            SimulatedBuffer buffer = new SimulatedBuffer(this, bytes);
            device.logs().hostAccesses("takes memory", buffer::accessAll);
            return buffer;
        } catch (RuntimeException | Error e) {
            give(size);
            throw e;
        }
    }

    private void meetFaults(long size) {
        Work work = new Work(device.name(), CallKind.ALLOCATE, Optional.empty(), size, 0);
        @Nullable FaultKind fault = device.faults().next(work);
        if (fault == FaultKind.OUT_OF_MEMORY) {
            throw refusal(size, 0, "the device has no memory left (injected fault)");
        }
        try {
            if (fault != null) {
                device.faults().strike(work, fault);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw work.interrupted(e);
        }
    }

    private synchronized void take(long size) {
        if (size > limit - openBytes) {
            throw refusal(
                    size,
                    Math.min(maxBufferSize, limit - openBytes),
                    openBytes + " of its " + limit + " bytes are taken: close what is not needed, or plan for less");
        }
        openBuffers++;
        openBytes += size;
    }

    synchronized void give(long size) {
        openBuffers--;
        openBytes -= size;
    }

    synchronized int openBuffers() {
        return openBuffers;
    }

    synchronized long openBytes() {
        return openBytes;
    }

    long limit() {
        return limit;
    }

    private AllocationException refusal(long size, long available, String why) {
        return new AllocationException(
                "cannot allocate " + size + " bytes of " + name() + " on device '" + device.name() + "': " + why,
                name(),
                size,
                available);
    }

    @Override
    public String toString() {
        return name();
    }
}
