package dev.stowage.memory;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.internal.flight.FlightRecording;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Allocates memory for many tensors at once, each with bytes of its own, as for weights; ggml's {@code
 * ggml_backend_alloc_ctx_tensors}. No memory is reused; that is what a plan is for.
 *
 * <p>Tensors are placed in order, with their padded sizes, until the next one would exceed the type's largest buffer
 * size; that tensor starts the next buffer. A tensor that exceeds it by itself is requested in a buffer of its own.
 * Views, and tensors that have memory of their own already, take no memory.
 */
public final class Allocations {

    private Allocations() {}

    /** As {@link #allocateAll(List, BufferType)}, for all tensors made with {@code builder}. */
    public static Buffer allocateAll(GraphBuilder builder, BufferType type) {
        return allocateAll(builder.tensors(), type);
    }

    /**
     * Allocates memory for every tensor that has none, and initializes every view. A view must come after its source,
     * unless the source is placed already.
     *
     * <p>If this fails, all allocated memory is freed, and the tensors can be placed again.
     *
     * @return the owner of the allocated memory: the only buffer, or a {@link MultiBuffer}; a buffer of 0 bytes if no
     *     memory was needed
     * @throws AllocationException if the type refuses a buffer
     * @throws AccessException if a view comes before its source
     */
    public static Buffer allocateAll(List<Tensor> tensors, BufferType type) {
        List<Share> shares = shares(tensors, type);
        List<Buffer> buffers = new ArrayList<>(shares.size());
        try {
            for (Share share : shares) {
                Buffer buffer = take(type, share);
                buffers.add(buffer);
                placeAll(share.tensors(), new LinearAllocator(buffer));
            }
            return buffers.size() == 1 ? buffers.getFirst() : MultiBuffer.of(buffers);
        } catch (RuntimeException | Error e) {
            Cleanup.closeAll(buffers, e);
            throw e;
        }
    }

    /** As {@link #sizeOf(List, BufferType)}, for all tensors made with {@code builder}. */
    public static long sizeOf(GraphBuilder builder, BufferType type) {
        return sizeOf(builder.tensors(), type);
    }

    /**
     * The bytes that {@link #allocateAll(List, BufferType)} would allocate, over all buffers.
     *
     * @throws AllocationException if that is more than a {@code long} can count
     */
    public static long sizeOf(List<Tensor> tensors, BufferType type) {
        long total = 0;
        for (Share share : shares(tensors, type)) {
            total += share.size();
            if (total < 0) {
                throw new AllocationException(
                        "the " + tensors.size() + " tensors take more bytes of " + type.name() + " than can be counted",
                        type.name(),
                        Long.MAX_VALUE,
                        -1);
            }
        }
        return total;
    }

    /** Consecutive tensors, and the size of the buffer for those among them that need memory. */
    private record Share(List<Tensor> tensors, long size) {}

    private static List<Share> shares(List<Tensor> tensors, BufferType type) {
        long most = type.maxBufferSize();
        List<Share> shares = new ArrayList<>();
        // The same tensor may be listed twice, but gets memory once.
        Set<Tensor> counted = Collections.newSetFromMap(new IdentityHashMap<>());
        int first = 0;
        long size = 0;
        for (int i = 0; i < tensors.size(); i++) {
            Tensor tensor = tensors.get(i);
            long needed = needsMemory(tensor) && counted.add(tensor) ? Alignment.paddedSize(type, tensor) : 0;
            if (size > 0 && size > most - needed) {
                shares.add(new Share(tensors.subList(first, i), size));
                first = i;
                size = needed;
            } else {
                size += needed;
            }
        }
        shares.add(new Share(tensors.subList(first, tensors.size()), size));
        return shares;
    }

    /** Memory that has been closed counts as none. */
    private static boolean needsMemory(Tensor tensor) {
        return !tensor.isView() && (!tensor.isPlaced() || Buffer.isStorageClosed(tensor));
    }

    /** As {@link BufferType#allocate}, with a flight recorder event if recording is on. */
    public static Buffer allocate(BufferType type, long size) {
        return FlightRecording.isOn() ? BufferEvent.recorded(type, size) : type.allocate(size);
    }

    private static Buffer take(BufferType type, Share share) {
        try {
            return allocate(type, share.size());
        } catch (AllocationException e) {
            throw new AllocationException(
                    "no memory for " + describe(share.tensors()) + ": " + e.getMessage(),
                    e.bufferType(),
                    e.requestedBytes(),
                    e.availableBytes(),
                    e);
        }
    }

    private static void placeAll(List<Tensor> tensors, LinearAllocator allocator) {
        for (Tensor tensor : tensors) {
            if (tensor.isView()) {
                initializeView(tensor);
            } else if (needsMemory(tensor)) {
                allocator.allocate(tensor);
            }
        }
    }

    /** Initializes a view in its buffer; memory that is not a buffer is left to its owner. */
    private static void initializeView(Tensor view) {
        Buffer buffer = Buffer.find(view);
        if (buffer != null) {
            buffer.initializeView(BoundTensor.of(view));
        }
    }

    private static String describe(List<Tensor> tensors) {
        List<Tensor> needy = tensors.stream().filter(Allocations::needsMemory).toList();
        return switch (needy.size()) {
            case 0 -> "no tensor";
            case 1 -> needy.getFirst().describe();
            default ->
                needy.size() + " tensors, from " + needy.getFirst().describe() + " to "
                        + needy.getLast().describe();
        };
    }
}
