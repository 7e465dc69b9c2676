package dev.stowage.rpc.client;

import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.rpc.client.Inquiries.Allocated;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a server: a handle, and the address that its tensors are counted from. An empty buffer takes none until a
 * message has to name it, which is seldom, since a server has no buffer without bytes: so a plan is exact.
 */
final class RpcBuffer extends Buffer {

    private static final int OFFSET_BYTES = 8;
    private static final int ALIGNED_ROW = 512;

    /** Bytes that are sent or filled as one tensor, whose size has 32 bits. */
    private static final long MOST_AT_ONCE = 1L << 30;

    private final Connection connection;
    private final RpcBufferType type;
    private volatile @Nullable Allocated memory;

    RpcBuffer(RpcBufferType type, long size, Connection connection) {
        super(type, size);
        this.connection = connection;
        this.type = type;
        this.memory = size == 0 ? null : type.take(size);
    }

    long handle() {
        return memory().handle();
    }

    long base() {
        return memory().base();
    }

    private Allocated memory() {
        Allocated known = memory;
        return known == null ? takeOne() : known;
    }

    private synchronized Allocated takeOne() {
        Allocated taken = memory;
        if (taken == null) {
            taken = type.take(1);
            memory = taken;
        }
        return taken;
    }

    /** Takes the memory of an empty buffer before a message that names it is begun. */
    private static void require(BoundTensor tensor) {
        if (tensor.buffer() instanceof RpcBuffer remote) {
            remote.memory();
        }
    }

    Connection connection() {
        return connection;
    }

    @Override
    protected long baseAddress() {
        return size() == 0 ? 0 : base();
    }

    @Override
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        send(tensor, offset - tensor.offset(), source);
    }

    /** Writes bytes into a range of a tensor, counted from its first byte; they are sent unless the server has kept them. */
    void send(BoundTensor tensor, long offset, MemorySegment source) {
        if (connection.keptWeights().write(tensor, offset, source)) {
            return;
        }
        require(tensor);
        boolean flag = connection.dialect().hasCacheFlag();
        connection.tell(
                Command.SET_TENSOR,
                WireTensor.BYTES + (flag ? 1 : 0) + OFFSET_BYTES,
                out -> {
                    TensorWriter.add(out, tensor);
                    if (flag) {
                        out.put((byte) (connection.keptWeights().shouldKeep(tensor) ? 1 : 0));
                    }
                    out.putLong(offset);
                },
                source);
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        fetch(connection, tensor, offset - tensor.offset(), target);
        connection.settle();
    }

    /** Asks for the bytes of a range of a tensor; they are there when the connection has settled. */
    static void fetch(Connection connection, BoundTensor tensor, long offset, MemorySegment target) {
        require(tensor);
        connection.fetch(
                Command.GET_TENSOR,
                WireTensor.BYTES + 2 * OFFSET_BYTES,
                out -> {
                    TensorWriter.add(out, tensor);
                    out.putLong(offset).putLong(target.byteSize());
                },
                target);
    }

    @Override
    protected void doMemset(long offset, long length, byte value) {
        for (long done = 0; done < length; ) {
            long part = Math.min(MOST_AT_ONCE, length - done);
            BoundTensor bytes =
                    BoundTensor.at(Tensor.leaf(Layout.contiguous(ElementType.I8, part)), this, offset + done);
            fill(bytes, part, value);
            done += part;
        }
    }

    private void fill(BoundTensor bytes, long length, byte value) {
        if (bytes.offset() == 0 && length == size()) {
            connection.tell(
                    Command.BUFFER_CLEAR,
                    Long.BYTES + 1,
                    out -> out.putLong(handle()).put(value));
        } else if (connection.dialect().hasMemset()) {
            connection.tell(Command.MEMSET_TENSOR, WireTensor.BYTES + 17, out -> {
                TensorWriter.add(out, bytes);
                out.putLong(0).putLong(length).put(value);
            });
        } else {
            byte[] values = new byte[Math.toIntExact(Math.min(length, 1 << 20))];
            java.util.Arrays.fill(values, value);
            for (long done = 0; done < length; done += values.length) {
                long part = Math.min(values.length, length - done);
                send(bytes, done, MemorySegment.ofArray(values).asSlice(0, part));
            }
        }
    }

    @Override
    protected boolean doTryCopy(BoundTensor from, BoundTensor to) {
        return from.buffer() instanceof RpcBuffer other && other.connection == connection && copyThere(from, to);
    }

    /** Copies within the server, if it can. */
    boolean copyThere(BoundTensor from, BoundTensor to) {
        require(from);
        require(to);
        return connection.askWhether(Command.COPY_TENSOR, 2 * WireTensor.BYTES, out -> {
            TensorWriter.add(out, from);
            TensorWriter.add(out, to);
        });
    }

    /** A quantised tensor whose rows do not fill whole vectors may have padding that the server must set. */
    @Override
    protected void doInitialize(BoundTensor tensor) {
        if (needsPadding(tensor.tensor())) {
            require(tensor);
            connection.tell(Command.INIT_TENSOR, WireTensor.BYTES, out -> TensorWriter.add(out, tensor));
        }
    }

    static boolean needsPadding(Tensor tensor) {
        return tensor.type().isQuantized() && !tensor.isView() && tensor.dim(0) % ALIGNED_ROW != 0;
    }

    /** The memory of a server that is gone is gone with it. */
    @Override
    protected void doClose() {
        Allocated taken = memory;
        if (taken != null && connection.health().lossCause().isEmpty()) {
            connection.inquiries().freed(taken.handle());
            connection.tell(Command.FREE_BUFFER, Long.BYTES, out -> out.putLong(taken.handle()));
        }
    }
}
