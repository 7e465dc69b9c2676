package dev.stowage.bench.ggml.graph;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidPlanException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * One of ggml's graph allocators. It holds the memory it reserved until it is closed, and keeps it from one graph to
 * the next, as ggml does; each step is a call of its own, so that it can be timed on its own.
 */
public final class GgmlGraphAllocator implements AutoCloseable {

    private final GgmlLibrary library;
    private final List<GgmlBufferType> types;
    private final MemorySegment allocator;
    private boolean closed;

    private GgmlGraphAllocator(GgmlLibrary library, List<GgmlBufferType> types) {
        this.library = library;
        this.types = List.copyOf(types);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment array = arena.allocate(ADDRESS, types.size());
            for (int i = 0; i < types.size(); i++) {
                array.setAtIndex(ADDRESS, i, types.get(i).address());
            }
            this.allocator = library.functions().allocators().newAllocator(array, types.size());
        }
    }

    /** An allocator in the processor's memory. */
    public static GgmlGraphAllocator cpu(GgmlLibrary library) {
        return of(library, List.of(GgmlBufferType.cpu(library)));
    }

    /**
     * An allocator for several buffers; the same type listed twice is the same memory.
     *
     * @throws InvalidPlanException if the list is empty
     */
    public static GgmlGraphAllocator of(GgmlLibrary library, List<GgmlBufferType> types) {
        if (types.isEmpty()) {
            throw new InvalidPlanException("a graph allocator needs at least one buffer type");
        }
        return new GgmlGraphAllocator(library, types);
    }

    public List<GgmlBufferType> types() {
        return types;
    }

    /**
     * Plans a graph with everything in the first buffer, and takes the memory for it.
     *
     * @throws AllocationException if there is not enough
     */
    public void reserve(GgmlMirror mirror) {
        requireReserved(library.functions()
                .allocators()
                .reserve(open(), mirror.mirrored(), MemorySegment.NULL, MemorySegment.NULL));
    }

    /**
     * Plans a graph with each node and leaf in the buffer of that index, and takes the memory for it.
     *
     * @throws InvalidPlanException if an array has the wrong length or names a buffer there is not
     * @throws AllocationException if there is not enough memory
     */
    public void reserve(GgmlMirror mirror, int[] nodeBuffers, int[] leafBuffers) {
        requireIndices(nodeBuffers, mirror.graph().nodeCount(), "node");
        requireIndices(leafBuffers, mirror.graph().leafCount(), "leaf");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment nodes = arena.allocateFrom(JAVA_INT, nodeBuffers);
            MemorySegment leaves = arena.allocateFrom(JAVA_INT, leafBuffers);
            requireReserved(library.functions().allocators().reserve(open(), mirror.mirrored(), nodes, leaves));
        }
    }

    private void requireIndices(int[] buffers, int count, String what) {
        if (buffers.length != count) {
            throw new InvalidPlanException(
                    "the graph has " + count + " " + what + "s, but a buffer is given for " + buffers.length);
        }
        for (int buffer : buffers) {
            if (buffer < 0 || buffer >= types.size()) {
                throw new InvalidPlanException(
                        "a " + what + " is assigned to buffer " + buffer + ", but there are " + types.size());
            }
        }
    }

    private void requireReserved(boolean reserved) {
        if (!reserved) {
            throw new AllocationException("ggml could not reserve memory for the graph", types.toString(), -1, -1);
        }
    }

    /**
     * Puts the tensors of the graph into their places, planning anew first where that is needed.
     *
     * @throws AllocationException if ggml could not
     */
    public void allocate(GgmlMirror mirror) {
        if (!library.functions().allocators().allocate(open(), mirror.mirrored())) {
            throw new AllocationException("ggml could not allocate the graph", types.toString(), -1, -1);
        }
    }

    /** The bytes reserved for a buffer; 0 if an earlier one is the same memory. */
    public long bufferSize(int buffer) {
        return library.functions().allocators().bufferSize(open(), buffer);
    }

    private MemorySegment open() {
        if (closed) {
            throw new ClosedException("the graph allocator is closed");
        }
        return allocator;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            library.functions().allocators().freeAllocator(allocator);
        }
    }
}
