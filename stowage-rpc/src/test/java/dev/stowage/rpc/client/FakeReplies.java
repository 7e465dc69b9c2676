package dev.stowage.rpc.client;

import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.WireTensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** What a server with two devices would reply to one client, if all its memory had the same value in every byte. */
final class FakeReplies {

    /** The value of every byte that is read. */
    static final byte CONTENT = 42;

    private final Dialect dialect;
    private long buffers;

    FakeReplies(Dialect dialect) {
        this.dialect = dialect;
    }

    /** The payload of a reply; no bytes where there is no reply. */
    ByteBuffer to(Command command, ByteBuffer request) {
        return switch (command) {
            case HELLO ->
                little(28)
                        .put((byte) dialect.major())
                        .put((byte) dialect.minor())
                        .put((byte) dialect.patch())
                        .clear();
            case DEVICE_COUNT -> little(4).putInt(2).flip();
            case GET_ALIGNMENT -> little(8).putLong(64).flip();
            case GET_MAX_SIZE -> little(8).putLong(-1).flip();
            case GET_DEVICE_MEMORY ->
                little(16).putLong(1 << 20).putLong(1 << 30).flip();
            case ALLOC_BUFFER ->
                little(16).putLong(++buffers).putLong(request.getLong(4)).flip();
            case BUFFER_GET_BASE -> little(8).putLong(request.getLong(0) << 32).flip();
            case GET_ALLOC_SIZE -> {
                WireTensor tensor = new WireTensor(request, Integer.BYTES);
                yield little(8).putLong(tensor.nb(3) * tensor.ne(3)).flip();
            }
            case GET_TENSOR -> {
                byte[] content = new byte[(int) request.getLong(WireTensor.BYTES + 8)];
                Arrays.fill(content, CONTENT);
                yield ByteBuffer.wrap(content);
            }
            case COPY_TENSOR, SET_TENSOR_HASH -> little(1).put((byte) 1).flip();
            default -> little(0);
        };
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
