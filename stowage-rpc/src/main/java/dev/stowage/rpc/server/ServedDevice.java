package dev.stowage.rpc.server;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.DeviceException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.BoundGraph;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** A device that clients share: they take turns on its backend, graph by graph. */
final class ServedDevice implements AutoCloseable {

    /** The alignment that ggml's processor asks for, so that its clients see what they know. */
    private static final long HOST_ALIGNMENT = 32;

    private final Device device;
    private final BufferType bufferType;
    private final Backend backend;
    private final ExecutorService thread;
    private final ReentrantLock turn = new ReentrantLock(true);

    ServedDevice(Device device, BackendOptions options) {
        this.device = device;
        this.bufferType = device.bufferType().isHost() ? hostType(device) : device.bufferType();
        this.backend = device.open(options);
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
     * Prepares a graph to run.
     *
     * @throws DeviceException if the device does not compute one of its nodes
     */
    PreparedGraph prepare(BoundGraph bound) {
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
        return call(() -> backend.prepare(bound));
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
