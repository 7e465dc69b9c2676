package dev.stowage.rpc.client;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.memory.BufferType;
import dev.stowage.rpc.wire.Command;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A device of a server. */
final class RpcDevice implements Device {

    private static final long PROCESSOR_ALIGNMENT = 32;

    private final String name;
    private final Connection connection;
    private final int number;
    private final Function<Tensor, OpSupport> claims;
    private final RpcBufferType bufferType;

    /** The message of the graph that the server would run again; guarded by this. */
    private @Nullable ByteBuffer last;

    /** What is sent to a device that is, or is not, a processor. */
    interface Claims {
        Function<Tensor, OpSupport> of(boolean processor);
    }

    RpcDevice(String name, Connection connection, int number, Claims claims) {
        this.name = name;
        this.connection = connection;
        this.number = number;
        this.bufferType = new RpcBufferType(this, connection, number);
        this.claims = claims.of(isProcessor());
    }

    /** ggml's processor has this alignment and no largest buffer; no graphics processor of its backends has both. */
    private boolean isProcessor() {
        return bufferType.alignment() == PROCESSOR_ALIGNMENT && bufferType.maxBufferSize() == Long.MAX_VALUE;
    }

    int number() {
        return number;
    }

    Connection connection() {
        return connection;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String description() {
        return "device " + number + " of the rpc server " + connection.endpoint() + ", protocol "
                + connection.dialect();
    }

    @Override
    public DeviceType type() {
        return DeviceType.GPU;
    }

    @Override
    public DeviceMemory memory() {
        return connection.inquiries().memory(number);
    }

    @Override
    public Optional<Throwable> lossCause() {
        return connection.health().lossCause();
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.ASYNC);
    }

    @Override
    public BufferType bufferType() {
        return bufferType;
    }

    @Override
    public OpSupport supports(Tensor node) {
        OpSupport sendable = SendableOps.supports(node, connection.dialect());
        return sendable.isSupported() ? claims.apply(node) : sendable;
    }

    @Override
    public boolean supportsBufferType(BufferType type) {
        return type.equals(bufferType);
    }

    /** From any server: bytes of another one come through this process. */
    @Override
    public boolean copiesAsyncFrom(Device producer) {
        return producer instanceof RpcDevice;
    }

    @Override
    public Backend open(BackendOptions options) {
        connection.health().require(name, "open");
        return new RpcBackend(this, connection);
    }

    /** Has the server run a graph. */
    @SuppressWarnings("ReferenceEquality") // the message itself, not another with the same bytes
    synchronized void run(ByteBuffer message) {
        if (message == last) {
            connection.tellAndFlush(Command.GRAPH_RECOMPUTE, Integer.BYTES, out -> out.putInt(number));
        } else {
            last = null;
            connection.tell(Command.GRAPH_COMPUTE, 0, _ -> {}, MemorySegment.ofBuffer(message));
            connection.flushNow();
            last = message;
        }
    }

    @SuppressWarnings("ReferenceEquality") // the message itself, not another with the same bytes
    synchronized void forget(ByteBuffer message) {
        if (message == last) {
            last = null;
        }
    }

    /** Nothing: the connection belongs to the provider. */
    @Override
    public void close() {}
}
