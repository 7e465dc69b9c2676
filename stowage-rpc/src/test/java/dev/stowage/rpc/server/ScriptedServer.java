package dev.stowage.rpc.server;

import dev.stowage.device.BackendOptions;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.error.StowageException;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.Link;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves clients that are scripts, on the thread of the caller, with the processor as its device: no sockets, so that
 * hundreds of thousands of clients can be served, and no clocks. After every client all its memory must have been given
 * back, and whatever ended it must be an error that the server expects.
 */
final class ScriptedServer implements AutoCloseable {

    /** Little more than the recorded buffers take. */
    static final long MEMORY = 64 << 20;

    private static final byte[] END = {};

    private final DeviceRegistry registry = DeviceRegistry.load();
    private final ServerMemory memory = new ServerMemory(MEMORY);
    private final ServedDevice device;
    private long limit = MEMORY;
    private long refused;
    private @Nullable Exception failure;

    ScriptedServer() {
        this(AvailableMemory::bytes);
    }

    /** A server on a machine that has that much memory left. */
    ScriptedServer(LongSupplier available) {
        this.device = new ServedDevice(
                registry.device("cpu"), BackendOptions.defaults().withThreads(1), available);
    }

    /** Sets what a client may have. */
    void limit(long newLimit) {
        limit = newLimit;
    }

    /** The bytes that clients have now. */
    long memoryInUse() {
        return memory.inUse();
    }

    /** Clients whose connection was ended by the server. */
    long refused() {
        return refused;
    }

    /** Why the server ended the connection of the last client; empty if the client did. */
    Optional<Exception> failure() {
        return Optional.ofNullable(failure);
    }

    /**
     * Serves a client and returns what it was sent.
     *
     * @param script what the client says next; empty once it has closed the connection
     * @param piece how many bytes pass at once, of those that could
     */
    byte[] serve(Supplier<byte[]> script, IntUnaryOperator piece) {
        long before = memory.inUse();
        long heapBefore = memory.heapInUse();
        ScriptedChannel channel = new ScriptedChannel(
                () -> {
                    require(memory.inUse() - before <= limit, "more memory than a client may have");
                    return script.get();
                },
                piece);
        failure = null;
        try (ServerConnection connection = new ServerConnection(
                new Link(channel, Duration.ZERO),
                Dialect.DEFAULT,
                List.of(device),
                new MemoryShare(limit, memory),
                new ClientLog(_ -> {}))) {
            connection.serve(() -> false);
        } catch (IOException | StowageException expected) {
            refused++;
            failure = expected;
        }
        require(memory.inUse() == before, "memory that was not given back");
        require(memory.heapInUse() == heapBefore, "memory of the heap that was not given back");
        return channel.received();
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what + ": " + memory.inUse() + " bytes, " + memory.heapInUse() + " of the heap");
        }
    }

    /** Serves a client that says these bytes. */
    byte[] serve(byte[]... said) {
        return serve(script(said), most -> most);
    }

    /** What a client says that says these bytes, one message after the other, and then closes the connection. */
    static Supplier<byte[]> script(byte[]... said) {
        int[] at = {0};
        return () -> at[0] < said.length ? said[at[0]++] : END;
    }

    @Override
    public void close() {
        device.close();
        registry.close();
    }
}
