package dev.stowage.rpc.server;

import dev.stowage.device.DeviceMemory;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.AllocationException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.GraphMessage;
import dev.stowage.rpc.wire.Link;
import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Serves one client: reads requests and carries them out, one after the other. A request that is malformed, that names
 * memory which is not the client's, or that cannot be computed ends the connection, and with it all that the client has.
 */
final class ServerConnection implements AutoCloseable {

    /** The longest message that describes a graph; one of a hundred thousand tensors has 30 MB. */
    private static final long MOST_GRAPH_BYTES = 256L << 20;

    private static final int PIECE_BYTES = 1 << 20;
    private static final int OFFSET_BYTES = 8;

    private final Link link;
    private final Dialect dialect;
    private final List<ServedDevice> devices;
    private final MemoryShare share;
    private final ClientBuffers buffers;
    private final @Nullable PreparedGraph[] graphs;
    private final ByteBuffer reply = ByteBuffer.allocateDirect(64).order(ByteOrder.LITTLE_ENDIAN);
    private @Nullable ByteBuffer piece;

    ServerConnection(Link link, Dialect dialect, List<ServedDevice> devices, MemoryShare share) {
        this.link = link;
        this.dialect = dialect;
        this.devices = devices;
        this.share = share;
        this.buffers = new ClientBuffers(share);
        this.graphs = new PreparedGraph[devices.size()];
    }

    /** Serves until the client closes the connection. */
    void serve() throws IOException {
        Command command = next();
        if (command != null && command != Command.HELLO) {
            throw new MalformedDataException("a client began with " + command + " and not with HELLO");
        }
        while (command != null) {
            carryOut(command, link.receive(Long.BYTES).getLong(0));
            command = next();
        }
    }

    private @Nullable Command next() throws IOException {
        int number = link.receiveByte();
        if (number < 0) {
            return null;
        }
        Command command = Command.ofNumber(number);
        if (command == null || (command == Command.MEMSET_TENSOR && !dialect.hasMemset())) {
            throw new MalformedDataException("there is no command " + number + " in version " + dialect);
        }
        return command;
    }

    private void carryOut(Command command, long size) throws IOException {
        if (!command.acceptsRequest(size)) {
            throw new MalformedDataException(command + " with " + Long.toUnsignedString(size) + " bytes");
        }
        switch (command) {
            case HELLO -> {
                link.receive((int) size);
                hello();
            }
            case SET_TENSOR -> set(size);
            case GRAPH_COMPUTE -> compute(size);
            default -> carryOut(command, link.receive((int) size));
        }
    }

    private void carryOut(Command command, ByteBuffer request) throws IOException {
        switch (command) {
            case DEVICE_COUNT -> answer(begin(Integer.BYTES).putInt(devices.size()));
            case GET_ALIGNMENT -> answer(device(request).bufferType().alignment());
            case GET_MAX_SIZE -> answer(mostBytes(device(request)));
            case GET_DEVICE_MEMORY -> memory(device(request));
            case ALLOC_BUFFER -> allocate(device(request), request.getLong(Integer.BYTES));
            case BUFFER_GET_BASE -> answer(buffers.get(request.getLong(0)).base());
            case FREE_BUFFER -> {
                buffers.free(request.getLong(0));
                answerNothing();
            }
            case BUFFER_CLEAR -> {
                buffers.get(request.getLong(0)).buffer().clear(request.get(Long.BYTES));
                answerNothing();
            }
            case SET_TENSOR_HASH -> {
                buffers.place(new WireTensor(request, 0));
                answer(false);
            }
            case GET_TENSOR -> get(request);
            case COPY_TENSOR -> copy(request);
            case INIT_TENSOR -> {
                BoundTensor tensor = buffers.place(new WireTensor(request, 0));
                tensor.buffer().initialize(tensor.tensor(), tensor.offset());
                answerNothing();
            }
            case GET_ALLOC_SIZE -> {
                Tensor tensor = Tensor.leaf(ClientBuffers.layout(new WireTensor(request, Integer.BYTES)));
                answer(device(request).bufferType().allocationSize(tensor));
            }
            case MEMSET_TENSOR -> {
                BoundTensor tensor = buffers.place(new WireTensor(request, 0));
                int at = WireTensor.BYTES;
                tensor.memset(request.getLong(at), request.getLong(at + 8), request.get(at + 16));
                answerNothing();
            }
            case GRAPH_RECOMPUTE -> recompute(request.getInt(0));
            default -> throw new IllegalStateException(command.name());
        }
    }

    // ---- answers

    private ByteBuffer begin(int size) {
        return reply.clear().putLong(size);
    }

    private void answer(ByteBuffer filled) throws IOException {
        link.send(filled.flip());
    }

    private void answer(long value) throws IOException {
        answer(begin(Long.BYTES).putLong(value));
    }

    private void answer(boolean value) throws IOException {
        answer(begin(1).put((byte) (value ? 1 : 0)));
    }

    private void answerNothing() throws IOException {
        if (dialect.answersWithNothing()) {
            answer(begin(0));
        }
    }

    private void hello() throws IOException {
        ByteBuffer filled = begin(28)
                .put((byte) dialect.major())
                .put((byte) dialect.minor())
                .put((byte) dialect.patch());
        while (filled.position() < Long.BYTES + 28) {
            filled.put((byte) 0);
        }
        answer(filled);
    }

    // ---- devices and memory

    private ServedDevice device(ByteBuffer request) {
        return devices.get(checkedDevice(request.getInt(0)));
    }

    private int checkedDevice(int index) {
        if (index < 0 || index >= devices.size()) {
            throw new MalformedDataException(
                    "there is no device " + Integer.toUnsignedString(index) + " of " + devices.size());
        }
        return index;
    }

    /** No limit is all ones. */
    private static long mostBytes(ServedDevice device) {
        long most = device.bufferType().maxBufferSize();
        return most == Long.MAX_VALUE ? -1 : most;
    }

    private void memory(ServedDevice device) throws IOException {
        DeviceMemory memory = share.of(device.device().memory());
        answer(begin(16).putLong(memory.free()).putLong(memory.total()));
    }

    private void allocate(ServedDevice device, long size) throws IOException {
        long handle = 0;
        try {
            handle = buffers.allocate(device.bufferType(), size);
        } catch (AllocationException tooMuch) {
            RpcLog.info(tooMuch.getMessage());
        }
        answer(begin(16).putLong(handle).putLong(handle == 0 ? 0 : size));
    }

    // ---- bytes

    private ByteBuffer piece() {
        if (piece == null) {
            piece = ByteBuffer.allocateDirect(PIECE_BYTES);
        }
        return piece;
    }

    private void set(long size) throws IOException {
        int head = WireTensor.BYTES + (dialect.hasCacheFlag() ? 1 : 0) + OFFSET_BYTES;
        if (size < head) {
            throw new MalformedDataException("SET_TENSOR with " + Long.toUnsignedString(size) + " bytes");
        }
        ByteBuffer request = link.receive(head);
        BoundTensor tensor = buffers.place(new WireTensor(request, 0));
        long at = request.getLong(head - OFFSET_BYTES);
        long left = size - head;
        tensor.buffer().requireReachable(tensor, at, left);
        while (left > 0) {
            ByteBuffer part = piece().clear().limit((int) Math.min(left, PIECE_BYTES));
            link.receive(part);
            part.flip();
            tensor.set(at, MemorySegment.ofBuffer(part));
            at += part.limit();
            left -= part.limit();
        }
    }

    private void get(ByteBuffer request) throws IOException {
        BoundTensor tensor = buffers.place(new WireTensor(request, 0));
        long at = request.getLong(WireTensor.BYTES);
        long left = request.getLong(WireTensor.BYTES + OFFSET_BYTES);
        tensor.buffer().requireReachable(tensor, at, left);
        ByteBuffer head = reply.clear().putLong(left).flip();
        do {
            ByteBuffer part = piece().clear().limit((int) Math.min(left, PIECE_BYTES));
            tensor.get(at, MemorySegment.ofBuffer(part));
            at += part.limit();
            left -= part.limit();
            link.send(head, part);
        } while (left > 0);
    }

    private void copy(ByteBuffer request) throws IOException {
        BoundTensor from = buffers.place(new WireTensor(request, 0));
        BoundTensor to = buffers.place(new WireTensor(request, WireTensor.BYTES));
        boolean copied = false;
        try {
            Buffer.copy(from, to);
            copied = true;
        } catch (InvalidTensorException differ) {
            RpcLog.info(differ.getMessage());
        }
        answer(copied);
    }

    // ---- graphs

    private void compute(long size) throws IOException {
        if (size < 0 || size > MOST_GRAPH_BYTES) {
            throw new MalformedDataException("a graph of " + Long.toUnsignedString(size) + " bytes");
        }
        GraphMessage message = new GraphMessage(link.receive((int) size));
        int device = checkedDevice(message.device());
        closeGraph(device);
        PreparedGraph prepared = devices.get(device).prepare(GraphReader.read(message, buffers, dialect));
        graphs[device] = prepared;
        devices.get(device).compute(prepared);
    }

    private void recompute(int device) {
        PreparedGraph prepared = graphs[checkedDevice(device)];
        if (prepared == null) {
            throw new MalformedDataException("GRAPH_RECOMPUTE before a graph was sent to device " + device);
        }
        devices.get(device).compute(prepared);
    }

    private void closeGraph(int device) {
        PreparedGraph prepared = graphs[device];
        graphs[device] = null;
        if (prepared != null) {
            prepared.close();
        }
    }

    @Override
    public void close() {
        link.close();
        for (int device = 0; device < graphs.length; device++) {
            closeGraph(device);
        }
        buffers.close();
    }
}
