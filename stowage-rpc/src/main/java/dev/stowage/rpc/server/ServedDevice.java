package dev.stowage.rpc.server;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.AllocationException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A device that clients share: they take turns on its backend, graph by graph. */
final class ServedDevice implements AutoCloseable {

    /** The alignment that ggml's processor asks for, so that its clients see what they know. */
    private static final long HOST_ALIGNMENT = 32;

    private final Device device;
    private final BufferType bufferType;
    private final Backend backend;
    private final ExecutorService thread;
    private final LongSupplier available;
    private final ReentrantLock turn = new ReentrantLock(true);
    private final ReentrantLock allocating = new ReentrantLock();

    /** The bytes of buffers that clients have; guarded by {@link #allocating}. */
    private long lent;

    /** What the graph that is being prepared may have; guarded by {@link #turn}. */
    private long scratchLimit;

    ServedDevice(Device device, BackendOptions options) {
        this(device, options, AvailableMemory::bytes);
    }

    /** A device that is lent, on a machine that could give that much host memory now. */
    ServedDevice(Device device, BackendOptions options, LongSupplier available) {
        this.device = device;
        this.bufferType = device.bufferType().isHost() ? hostType(device) : device.bufferType();
        this.available = available;
        this.backend = device.open(options.withScratchLimit(() -> scratchLimit));
        this.thread = Executors.newSingleThreadExecutor(Thread.ofPlatform()
                .daemon()
                .name("stowage-rpc-" + device.name())
                .factory());
    }

    private static BufferType hostType(Device device) {
        BufferType type =
                HostBufferType.standard().withName(device.bufferType().name()).withAlignment(HOST_ALIGNMENT);
        return device.supportsBufferType(type) ? type : device.bufferType();
    }

    Device device() {
        return device;
    }

    /**
     * The index of a device in a request.
     *
     * @throws MalformedDataException if there is none
     */
    static int checked(int index, List<ServedDevice> devices) {
        if (index < 0 || index >= devices.size()) {
            throw new MalformedDataException(
                    "there is no device " + Integer.toUnsignedString(index) + " of " + devices.size());
        }
        return index;
    }

    /** The memory that clients get. */
    BufferType bufferType() {
        return bufferType;
    }

    /**
     * Takes memory for a client, filled with zeros. One allocation at a time: what host memory is available is known again
     * once the pages of the last one have been touched.
     *
     * @throws AllocationException if there is not as much
     */
    Buffer allocate(long size) {
        allocating.lock();
        try {
            if (bufferType.isHost()) {
                requireAvailable(size);
            }
            Buffer buffer = cleared(bufferType.allocate(size));
            lent += size;
            return buffer;
        } finally {
            allocating.unlock();
        }
    }

    /** The memory in which products want weights of that layout, or null where that is the memory clients get. */
    @Nullable
    BufferType packedType(Layout layout) {
        BufferType type = device.weightsType(layout);
        return type.equals(device.bufferType()) ? null : type;
    }

    /**
     * Copies a tensor into memory of its own, of {@link #packedType}, which {@link #free} frees.
     *
     * @throws AllocationException if that would take more than half of the memory that is left
     */
    void pack(BoundTensor original, Tensor packed, BufferType type, long size) {
        Buffer memory;
        allocating.lock();
        try {
            requireHalfAvailable(size);
            memory = type.allocate(size);
            lent += size;
        } finally {
            allocating.unlock();
        }
        boolean done = false;
        try {
            memory.place(packed, 0);
            call(() -> {
                Buffer.copy(original, BoundTensor.of(packed));
                return packed;
            });
            done = true;
        } finally {
            if (!done) {
                free(memory);
            }
        }
    }

    /** Copies are for speed alone; they leave to others what is scarce. */
    private void requireHalfAvailable(long size) {
        if (bufferType.isHost()) {
            requireAvailable(2 * size);
        } else if (2 * size > device.memory().free()) {
            throw new AllocationException(
                    "there is no memory for copies of weights",
                    bufferType.name(),
                    size,
                    device.memory().free());
        }
    }

    /** Memory of a device may still hold what another client left there; host memory is zero when it is allocated. */
    private static Buffer cleared(Buffer buffer) {
        boolean done = buffer.isHost();
        try {
            if (!done) {
                buffer.clear((byte) 0);
                done = true;
            }
            return buffer;
        } finally {
            if (!done) {
                buffer.close();
            }
        }
    }

    private void requireAvailable(long size) {
        long total = device.memory().total();
        long most = Math.min(available.getAsLong(), total == 0 ? Long.MAX_VALUE : total - lent);
        if (size > most) {
            throw new AllocationException(
                    "a client needs " + size + " bytes for a buffer, and this machine has " + most + " left",
                    bufferType.name(),
                    size,
                    most);
        }
    }

    /** Frees memory of a client. */
    void free(Buffer buffer) {
        buffer.close();
        allocating.lock();
        try {
            lent -= buffer.size();
        } finally {
            allocating.unlock();
        }
    }

    /**
     * Prepares a graph to run.
     *
     * @param mostScratch the scratch memory that it may have
     * @throws DeviceException if the device does not compute one of its nodes
     * @throws AllocationException if it needs more scratch memory, or there is too little
     */
    PreparedGraph prepare(BoundGraph bound, long mostScratch) {
        Graph graph = bound.graph();
        for (int node = 0; node < graph.nodeCount(); node++) {
            if (graph.isComputed(node)) {
                var support = device.supports(graph.node(node));
                if (!support.isSupported()) {
                    throw DeviceException.of(
                            device.name(), "compute", graph.node(node).describe(), support.reason());
                }
            }
        }
        return call(() -> {
            scratchLimit = bufferType.isHost() ? Math.min(mostScratch, available.getAsLong()) : mostScratch;
            return backend.prepare(bound);
        });
    }

    /** Closes a graph, in turn: a backend that disposes of one refuses the calls of others. */
    void close(PreparedGraph graph) {
        inTurn(() -> {
            graph.close();
            return graph;
        });
    }

    /** Runs a graph and waits until it is done. */
    void compute(PreparedGraph graph) {
        call(() -> {
            backend.compute(graph);
            return graph;
        });
    }

    /**
     * Does work on this thread, or on that of the device where this one is virtual: those share few threads, which long work
     * must not keep.
     */
    private <T> T call(Supplier<T> work) {
        if (Thread.currentThread().isVirtual()) {
            return await(thread.submit(() -> inTurn(work)));
        }
        return inTurn(work);
    }

    private <T> T inTurn(Supplier<T> work) {
        turn.lock();
        try {
            return work.get();
        } finally {
            turn.unlock();
        }
    }

    private static <T> T await(Future<T> result) {
        try {
            return result.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new CompletionException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompletionException(e);
        }
    }

    @Override
    public void close() {
        thread.close();
        inTurn(() -> {
            backend.close();
            return backend;
        });
    }
}
