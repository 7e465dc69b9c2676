package dev.stowage.rpc.server;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.rpc.wire.Link;
import dev.stowage.rpc.wire.WireTensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** Bytes that go into the buffers of a client and out of them; ranges are checked before anything is moved. */
final class ClientTransfers implements AutoCloseable {

    /** What is moved at once, and within the time limit of a transfer. */
    private static final int PIECE_BYTES = 1 << 20;

    private static final int OFFSET_BYTES = 8;

    /** Told of every write to a buffer before it is made. */
    interface WriteListener {
        void beforeWrite(ClientBuffers.Held held, long offset, long length);
    }

    private final Link link;
    private final RequestInput in;
    private final ClientBuffers buffers;
    private final MemoryShare share;
    private final ClientLog log;
    private final WriteListener writes;
    private final int setHeadBytes;
    private final ByteBuffer size = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private @Nullable ByteBuffer piece;

    /** Transfers of a dialect that may have a flag before the offset of SET_TENSOR. */
    ClientTransfers(
            Link link,
            RequestInput in,
            ClientBuffers buffers,
            MemoryShare share,
            ClientLog log,
            boolean cacheFlag,
            WriteListener writes) {
        this.link = link;
        this.in = in;
        this.buffers = buffers;
        this.share = share;
        this.log = log;
        this.writes = writes;
        this.setHeadBytes = WireTensor.BYTES + (cacheFlag ? 1 : 0) + OFFSET_BYTES;
    }

    /** SET_TENSOR with that many bytes of payload, which are still to come. */
    void set(long payload) throws IOException {
        if (payload < setHeadBytes) {
            throw new MalformedDataException("SET_TENSOR with " + Long.toUnsignedString(payload) + " bytes");
        }
        ByteBuffer request = in.receive(setHeadBytes);
        BoundTensor tensor = buffers.place(new WireTensor(request, 0));
        long at = request.getLong(setHeadBytes - OFFSET_BYTES);
        long left = payload - setHeadBytes;
        tensor.buffer().requireReachable(tensor, at, left);
        announce(request, 0, tensor, at, left);
        while (left > 0) {
            int count = (int) Math.min(left, PIECE_BYTES);
            if (tensor.buffer().hasNativeSegment()) {
                in.receive(tensor.segment().asSlice(at, count).asByteBuffer());
            } else {
                ByteBuffer part = piece().clear().limit(count);
                in.receive(part);
                tensor.set(at, MemorySegment.ofBuffer(part.flip()));
            }
            at += count;
            left -= count;
        }
    }

    /** GET_TENSOR: the answer is sent as it is read. */
    void get(ByteBuffer request) throws IOException {
        BoundTensor tensor = buffers.place(new WireTensor(request, 0));
        long at = request.getLong(WireTensor.BYTES);
        long left = request.getLong(WireTensor.BYTES + OFFSET_BYTES);
        tensor.buffer().requireReachable(tensor, at, left);
        ByteBuffer head = size.clear().putLong(left).flip();
        do {
            int count = (int) Math.min(left, PIECE_BYTES);
            ByteBuffer part;
            if (tensor.buffer().hasNativeSegment()) {
                part = tensor.segment().asSlice(at, count).asByteBuffer();
            } else {
                part = piece().clear().limit(count);
                tensor.get(at, MemorySegment.ofBuffer(part));
            }
            link.send(head, part);
            at += count;
            left -= count;
        } while (left > 0);
    }

    /** MEMSET_TENSOR. */
    void memset(ByteBuffer request) {
        BoundTensor tensor = buffers.place(new WireTensor(request, 0));
        int at = WireTensor.BYTES;
        long offset = request.getLong(at);
        long length = request.getLong(at + 8);
        tensor.buffer().requireReachable(tensor, offset, length);
        announce(request, 0, tensor, offset, length);
        tensor.memset(offset, length, request.get(at + 16));
    }

    /** Says that a part of the tensor that a request names at an index is about to be written. */
    private void announce(ByteBuffer request, int index, BoundTensor tensor, long offset, long length) {
        ClientBuffers.Held held = buffers.get(new WireTensor(request, index).buffer());
        writes.beforeWrite(held, tensor.offset() + offset, length);
    }

    /** COPY_TENSOR; whether the two tensors could be copied so. */
    boolean copy(ByteBuffer request) {
        BoundTensor from = buffers.place(new WireTensor(request, 0));
        BoundTensor to = buffers.place(new WireTensor(request, WireTensor.BYTES));
        announce(request, WireTensor.BYTES, to, 0, to.tensor().byteSize());
        try {
            Buffer.copy(from, to);
            return true;
        } catch (InvalidTensorException differ) {
            log.info(differ.getMessage());
            return false;
        }
    }

    /** Memory that the host does not reach is read and written through a piece of it. */
    private ByteBuffer piece() {
        if (piece == null) {
            share.take("transfers", PIECE_BYTES);
            piece = ByteBuffer.allocateDirect(PIECE_BYTES);
        }
        return piece;
    }

    @Override
    public void close() {
        if (piece != null) {
            share.giveBack(PIECE_BYTES);
            piece = null;
        }
    }
}
