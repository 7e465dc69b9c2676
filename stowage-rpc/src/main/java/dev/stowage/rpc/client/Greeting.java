package dev.stowage.rpc.client;

import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.Link;
import dev.stowage.rpc.wire.Watch;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/** The first exchange with a server, which says what version it speaks. */
final class Greeting {

    private static final int CAPABILITIES_BYTES = 24;

    private Greeting() {}

    /**
     * Greets a server within a time limit; where that fails, the channel is closed.
     *
     * @throws IOException if it does not answer, or is not understood; the message says what to do
     */
    static Dialect exchange(SocketChannel channel, Duration limit, Watch watch) throws IOException {
        Link link = new Link(channel, limit, watch);
        boolean agreed = false;
        try {
            Dialect dialect = exchange(link);
            agreed = true;
            return dialect;
        } finally {
            if (agreed) {
                link.release();
            } else {
                link.close();
            }
        }
    }

    private static Dialect exchange(Link link) throws IOException {
        ByteBuffer request =
                ByteBuffer.allocate(Command.HEADER_BYTES + CAPABILITIES_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        request.put((byte) Command.HELLO.number()).putLong(CAPABILITIES_BYTES).clear();
        link.send(request);
        long size;
        try {
            size = link.receive(Long.BYTES).getLong(0);
        } catch (EOFException e) {
            throw new IOException(
                    "it does not finish its answer to the greeting (" + e.getMessage()
                            + "): it is older than version 4.0 of the protocol, or no rpc server; update it",
                    e);
        }
        if (!Command.HELLO.acceptsReply(size)) {
            throw new IOException("it greets with " + Long.toUnsignedString(size)
                    + " bytes: it is older than version 4.0 of the protocol, or no rpc server; update it");
        }
        ByteBuffer reply = link.receive((int) size);
        int major = reply.get(0) & 0xff;
        int minor = reply.get(1) & 0xff;
        int patch = reply.get(2) & 0xff;
        Dialect dialect = Dialect.find(major, minor, patch);
        if (dialect == null) {
            throw new IOException("it speaks version " + major + "." + minor + "." + patch
                    + " of the protocol, which is not known; known are " + Dialect.known());
        }
        return dialect;
    }
}
