package dev.stowage.memory;

import dev.stowage.error.AllocationException;
import dev.stowage.tensor.Tensor;
import java.util.List;

/**
 * A kind of memory, and the factory of its buffers: host memory, the memory of a device, or no memory, for
 * planning. It states the rules (alignment, largest buffer, bytes a tensor takes) that a planner needs before any
 * memory is taken.
 *
 * <p>Implementations are immutable and may be used by many threads at once. The answers of one type never change,
 * except that {@link #allocate} can run out of memory.
 */
public interface BufferType {

    /** A name for messages and reports, such as {@code host} or {@code CUDA0}. */
    String name();

    /** The power of two that every address of a tensor in such memory is a multiple of. */
    long alignment();

    /**
     * The most bytes one buffer should have. Memory for more is split over several buffers; a single tensor that is
     * larger is still asked for, and given or refused by {@link #allocate}.
     */
    default long maxBufferSize() {
        return Long.MAX_VALUE;
    }

    /** The bytes that {@code tensor} takes in such memory: its own bytes or more, never fewer. */
    default long allocationSize(Tensor tensor) {
        return tensor.byteSize();
    }

    /**
     * Whether one call for many tensors is cheaper than a call for each, as it is for memory of a remote device. Then
     * {@link #fetchAllocationSizes} is called before the tensors of a graph are planned, and {@link
     * Buffer#initialize(List)} when it is bound.
     */
    default boolean hasBulkCalls() {
        return false;
    }

    /**
     * Announces that {@link #allocationSize} will be asked for each of these tensors, so that the sizes can be fetched
     * in one call and kept; only called where the type {@linkplain #hasBulkCalls has bulk calls}.
     */
    default void fetchAllocationSizes(List<Tensor> tensors) {}

    /** Whether the processor reads and writes such memory directly. */
    default boolean isHost() {
        return false;
    }

    /**
     * A new buffer of {@code size} bytes, which the caller owns and closes. Its {@linkplain Buffer#address() address}
     * is a multiple of {@link #alignment()}; what its bytes hold is not defined. A buffer of 0 bytes is always given.
     *
     * @throws AllocationException if the size is negative, too large for one buffer of this type, or not to be had now
     */
    Buffer allocate(long size);
}
