package dev.stowage.memory;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Gives memory to many tensors at once, each with bytes of its own: how weights get their place. Nothing is shared or
 * used twice; for the results of a graph that is what a plan is for.
 *
 * <p>The tensors are taken in order. Their padded sizes add up to one buffer, until the next tensor would take it past
 * the type's largest size; that tensor opens the next buffer. A tensor that is larger than that by itself is asked for
 * in a buffer of its own. Views take nothing, and neither do tensors that have a place already.
 */
public final class Allocations {

    private Allocations() {}

    /** As {@link #allocateAll(List, BufferType)}, for all tensors made with {@code builder}. */
    public static Buffer allocateAll(GraphBuilder builder, BufferType type) {
        return allocateAll(builder.tensors(), type);
    }

    /**
     * Gives memory to every tensor that has none, and tells the memory about every view. A view must come behind its
     * source, unless its source has a place already.
     *
     * <p>If this fails, all memory taken is given back, and the tensors that were given a place lose it again.
     *
     * @return the owner of all memory taken: the only buffer, or a {@link MultiBuffer}; where nothing had to be taken,
     *     a buffer of 0 bytes
     * @throws AllocationException if the type refuses a buffer
     * @throws AccessException if a view comes before its source
     * @throws ClosedException if a tensor lies in a buffer that was closed: displace it first
     */
    public static Buffer allocateAll(List<Tensor> tensors, BufferType type) {
        List<Share> shares = shares(tensors, type);
        List<Buffer> buffers = new ArrayList<>(shares.size());
        List<Tensor> placed = new ArrayList<>();
        try {
            for (Share share : shares) {
                Buffer buffer = take(type, share);
                buffers.add(buffer);
                placeAll(share.tensors(), new LinearAllocator(buffer), placed);
            }
            return buffers.size() == 1 ? buffers.getFirst() : MultiBuffer.of(buffers);
        } catch (RuntimeException | Error e) {
            placed.forEach(Tensor::displace);
            Cleanup.closeAll(buffers, e);
            throw e;
        }
    }

    /** As {@link #sizeOf(List, BufferType)}, for all tensors made with {@code builder}. */
    public static long sizeOf(GraphBuilder builder, BufferType type) {
        return sizeOf(builder.tensors(), type);
    }

    /**
     * The bytes that {@link #allocateAll(List, BufferType)} would take, over all buffers, without taking them.
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

    /** Tensors that follow each other, and the size of the buffer for those among them that need memory. */
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

    private static boolean needsMemory(Tensor tensor) {
        if (tensor.isPlaced() && tensor.storage() instanceof Buffer buffer && buffer.isClosed()) {
            throw new ClosedException(tensor.describe() + " lies in the buffer " + buffer
                    + ": displace() it before it is given other memory");
        }
        return !tensor.isView() && !tensor.isPlaced();
    }

    private static Buffer take(BufferType type, Share share) {
        try {
            return type.allocate(share.size());
        } catch (AllocationException e) {
            throw new AllocationException(
                    "no memory for " + describe(share.tensors()) + ": " + e.getMessage(),
                    e.bufferType(),
                    e.requestedBytes(),
                    e.availableBytes(),
                    e);
        }
    }

    private static void placeAll(List<Tensor> tensors, LinearAllocator allocator, List<Tensor> placed) {
        for (Tensor tensor : tensors) {
            if (tensor.isView()) {
                if (tensor.storage() instanceof Buffer buffer) {
                    buffer.initializeView(tensor);
                }
            } else if (!tensor.isPlaced()) {
                allocator.allocate(tensor);
                placed.add(tensor);
            }
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
