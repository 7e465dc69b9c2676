package dev.stowage.rpc.server;

import dev.stowage.device.DeviceMemory;
import dev.stowage.error.AllocationException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.Link;
import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves one client: reads requests and carries them out, one after the other. A request that is malformed, that names
 * memory which is not the client's, or that cannot be computed ends the connection, and with it all that the client has.
 */
final class ServerConnection implements AutoCloseable {

    private final Link link;
    private final RequestInput in;
    private final Dialect dialect;
    private final List<ServedDevice> devices;
    private final MemoryShare share;
    private final ClientLog log;
    private final ClientBuffers buffers;
    private final ClientTransfers transfers;
    private final ClientGraphs graphs;
    private final ByteBuffer reply = ByteBuffer.allocateDirect(64).order(ByteOrder.LITTLE_ENDIAN);
    private boolean greeted;

    ServerConnection(Link link, Dialect dialect, List<ServedDevice> devices, MemoryShare share, ClientLog log) {
        this.link = link;
        this.in = new RequestInput(link);
        this.dialect = dialect;
        this.devices = devices;
        this.share = share;
        this.log = log;
        this.buffers = new ClientBuffers(share);
        this.graphs = new ClientGraphs(devices, buffers, dialect, share);
        this.transfers =
                new ClientTransfers(link, in, buffers, share, log, dialect.hasCacheFlag(), graphs::beforeWrite);
    }

    /**
     * Serves until the client closes the connection.
     *
     * @param pause asked after every graph: whether to return, to be called again by another thread
     * @return whether there is more to serve
     */
    boolean serve(BooleanSupplier pause) throws IOException {
        Command command = next();
        while (command != null) {
            if (!greeted && command != Command.HELLO) {
                throw new MalformedDataException("a client began with " + command + " and not with HELLO");
            }
            greeted = true;
            carryOut(command, in.receive(Long.BYTES).getLong(0));
            if (command == Command.GRAPH_COMPUTE && pause.getAsBoolean()) {
                return true;
            }
            command = next();
        }
        return false;
    }

    private @Nullable Command next() throws IOException {
        int number = in.next();
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
                in.receive((int) size);
                hello();
            }
            case SET_TENSOR -> transfers.set(size);
            case GRAPH_COMPUTE -> compute(size);
            default -> carryOut(command, in.receive((int) size));
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
                graphs.forget(buffers.get(request.getLong(0)));
                buffers.free(request.getLong(0));
                answerNothing();
            }
            case BUFFER_CLEAR -> {
                ClientBuffers.Held held = buffers.get(request.getLong(0));
                graphs.beforeWrite(held, 0, held.buffer().size());
                held.buffer().clear(request.get(Long.BYTES));
                answerNothing();
            }
            case SET_TENSOR_HASH -> {
                buffers.place(new WireTensor(request, 0));
                answer(false);
            }
            case GET_TENSOR -> transfers.get(request);
            case COPY_TENSOR -> answer(transfers.copy(request));
            case INIT_TENSOR -> {
                BoundTensor tensor = buffers.place(new WireTensor(request, 0));
                graphs.beforeWrite(
                        buffers.get(new WireTensor(request, 0).buffer()),
                        tensor.offset(),
                        tensor.tensor().byteSize());
                tensor.buffer().initialize(tensor.tensor(), tensor.offset());
                answerNothing();
            }
            case GET_ALLOC_SIZE -> {
                Tensor tensor = Tensor.leaf(ClientBuffers.layout(new WireTensor(request, Integer.BYTES)));
                answer(device(request).bufferType().allocationSize(tensor));
            }
            case MEMSET_TENSOR -> {
                transfers.memset(request);
                answerNothing();
            }
            case GRAPH_RECOMPUTE -> graphs.recompute(request.getInt(0));
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
        return devices.get(ServedDevice.checked(request.getInt(0), devices));
    }

    /** No limit is all ones. */
    private static long mostBytes(ServedDevice device) {
        long most = device.bufferType().maxBufferSize();
        return most == Long.MAX_VALUE ? -1 : most;
    }

    private void memory(ServedDevice device) throws IOException {
        DeviceMemory memory = share.of(device.device().memory(), graphs.copiedBytes());
        answer(begin(16).putLong(memory.free()).putLong(memory.total()));
    }

    private void allocate(ServedDevice device, long size) throws IOException {
        long handle = 0;
        while (handle == 0) {
            try {
                handle = buffers.allocate(device, size);
            } catch (AllocationException tooMuch) {
                if (!graphs.giveUpCopies()) {
                    log.info(tooMuch.getMessage());
                    break;
                }
            }
        }
        answer(begin(16).putLong(handle).putLong(handle == 0 ? 0 : size));
    }

    // ---- graphs

    private void compute(long size) throws IOException {
        long reserved = graphs.reserve(size);
        byte[] message;
        try {
            message = in.collect((int) size);
        } catch (IOException | RuntimeException | Error e) {
            graphs.release(reserved);
            throw e;
        }
        graphs.compute(message, reserved);
    }

    @Override
    public void close() {
        link.close();
        graphs.close();
        transfers.close();
        buffers.close();
    }
}
