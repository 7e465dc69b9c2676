package dev.stowage.memory;

import dev.stowage.error.AllocationException;
import dev.stowage.tensor.Tensor;
import java.util.Objects;

/**
 * A buffer type without memory: it follows the rules of a real one, allocates buffers of any size without taking
 * memory, and counts requests. Plans and schedules for a device can be made with it on a machine without the device.
 *
 * <p>The {@code with} methods give new types that count on their own. Thread-safe.
 */
public final class MeasuringBufferType implements BufferType {

    private final String name;
    private final long alignment;
    private final long maxBufferSize;
    private final long sizeMultiple;
    private final long capacity;
    private final boolean host;

    private int openBuffers;
    private long openBytes;
    private long peakBytes;
    private long requests;

    private MeasuringBufferType(
            String name, long alignment, long maxBufferSize, long sizeMultiple, long capacity, boolean host) {
        this.name = Objects.requireNonNull(name);
        this.alignment = Alignment.requirePowerOfTwo(alignment, name);
        this.maxBufferSize = maxBufferSize;
        this.sizeMultiple = sizeMultiple;
        this.capacity = capacity;
        this.host = host;
        if (maxBufferSize < 0 || sizeMultiple < 1 || capacity < 0) {
            throw new AllocationException(
                    "the buffer type " + name + " cannot have buffers of at most " + maxBufferSize
                            + " bytes, tensors of multiples of " + sizeMultiple + " bytes and " + capacity
                            + " bytes in all",
                    name,
                    0,
                    capacity);
        }
    }

    /**
     * Memory of that name and alignment, with no other rules and no limit.
     *
     * @throws AllocationException if the alignment is not a power of two
     */
    public static MeasuringBufferType of(String name, long alignment) {
        return new MeasuringBufferType(name, alignment, Long.MAX_VALUE, 1, Long.MAX_VALUE, false);
    }

    /** The same rules, with buffers of at most that many bytes; larger ones are refused. */
    public MeasuringBufferType withMaxBufferSize(long bytes) {
        return new MeasuringBufferType(name, alignment, bytes, sizeMultiple, capacity, host);
    }

    /** The same rules, with tensors that take multiples of that many bytes. */
    public MeasuringBufferType withSizeMultiple(long bytes) {
        return new MeasuringBufferType(name, alignment, maxBufferSize, bytes, capacity, host);
    }

    /** The same rules, with at most that many bytes in all open buffers together. */
    public MeasuringBufferType withCapacity(long bytes) {
        return new MeasuringBufferType(name, alignment, maxBufferSize, sizeMultiple, bytes, host);
    }

    /** The same rules, for memory that counts as the host's or not; its bytes cannot be reached either way. */
    public MeasuringBufferType withHost(boolean isHost) {
        return new MeasuringBufferType(name, alignment, maxBufferSize, sizeMultiple, capacity, isHost);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long alignment() {
        return alignment;
    }

    @Override
    public long maxBufferSize() {
        return maxBufferSize;
    }

    /** The bytes of the tensor, up to the next multiple of the type's size multiple. */
    @Override
    public long allocationSize(Tensor tensor) {
        long beyond = tensor.byteSize() % sizeMultiple;
        long gap = beyond == 0 ? 0 : sizeMultiple - beyond;
        if (tensor.byteSize() > Long.MAX_VALUE - gap) {
            throw new AllocationException(
                    tensor.describe() + " has " + tensor.byteSize() + " bytes, and the next multiple of " + sizeMultiple
                            + " is more than can be counted",
                    name,
                    tensor.byteSize(),
                    maxBufferSize);
        }
        return tensor.byteSize() + gap;
    }

    @Override
    public boolean isHost() {
        return host;
    }

    @Override
    public synchronized Buffer allocate(long size) {
        requests++;
        long most = Math.min(maxBufferSize, capacity - openBytes);
        if (size < 0 || size > most) {
            throw new AllocationException(
                    "cannot allocate " + size + " bytes of " + name + ": a buffer has 0 to " + maxBufferSize
                            + " bytes, and " + openBytes + " of " + capacity + " bytes are taken",
                    name,
                    size,
                    most);
        }
        Buffer buffer = new MeasuringBuffer(this, size);
        openBuffers++;
        openBytes += size;
        peakBytes = Math.max(peakBytes, openBytes);
        return buffer;
    }

    synchronized void released(long size) {
        openBuffers--;
        openBytes -= size;
    }

    /** How often memory was requested, granted or not. */
    public synchronized long requests() {
        return requests;
    }

    /** The number of open buffers. */
    public synchronized int openBuffers() {
        return openBuffers;
    }

    /** The bytes of all open buffers. */
    public synchronized long openBytes() {
        return openBytes;
    }

    /** The most bytes that were open at one time. */
    public synchronized long peakBytes() {
        return peakBytes;
    }

    @Override
    public String toString() {
        return "measuring " + name;
    }
}
