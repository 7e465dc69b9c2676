package dev.stowage.rpc.server;

import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Link;
import dev.stowage.rpc.wire.WireTensor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.function.Consumer;

/** A client that sends any bytes. */
final class RawClient implements AutoCloseable {

    private final Link link;

    RawClient(InetSocketAddress server) throws IOException {
        this.link = new Link(SocketChannel.open(server), Duration.ofMinutes(1));
    }

    /** A client that has greeted the server. */
    static RawClient greeted(InetSocketAddress server) throws IOException {
        RawClient client = new RawClient(server);
        client.ask(Command.HELLO, 24, _ -> {});
        return client;
    }

    /** Sends a request of that many bytes. */
    void send(Command command, int bytes, Consumer<ByteBuffer> payload) throws IOException {
        ByteBuffer message = ByteBuffer.allocate(Command.HEADER_BYTES + bytes).order(ByteOrder.LITTLE_ENDIAN);
        message.put((byte) command.number()).putLong(bytes);
        payload.accept(message.slice().order(ByteOrder.LITTLE_ENDIAN));
        link.send(message.clear());
    }

    /** Sends these bytes as they are. */
    void send(byte... bytes) throws IOException {
        link.send(ByteBuffer.wrap(bytes));
    }

    /**
     * Sends a request and returns the reply.
     *
     * @throws IOException if the server has closed the connection
     */
    ByteBuffer ask(Command command, int bytes, Consumer<ByteBuffer> payload) throws IOException {
        send(command, bytes, payload);
        return link.receive((int) link.receive(Long.BYTES).getLong(0));
    }

    /** A buffer of that size. */
    long allocate(long size) throws IOException {
        return ask(Command.ALLOC_BUFFER, 12, out -> out.putLong(4, size)).getLong(0);
    }

    long base(long buffer) throws IOException {
        return ask(Command.BUFFER_GET_BASE, 8, out -> out.putLong(buffer)).getLong(0);
    }

    /** Describes a vector of floats at an address. */
    static void floats(WireTensor tensor, long id, int count, long buffer, long address) {
        tensor.id(id);
        tensor.ne(0, count);
        tensor.nb(0, Float.BYTES);
        for (int i = 1; i < 4; i++) {
            tensor.ne(i, 1);
            tensor.nb(i, Float.BYTES * count);
        }
        tensor.buffer(buffer);
        tensor.data(address);
    }

    @Override
    public void close() {
        link.close();
    }
}
