package dev.stowage.rpc.server;

import dev.stowage.rpc.wire.Link;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * What comes from a client, read ahead: clients send many small messages in a row, each in several packets, and asking the
 * system for every field would cost more than carrying them out. One thread at a time.
 */
final class RequestInput {

    /** More than any request whose size is fixed; larger ones go past this buffer. */
    private static final int BUFFER_BYTES = 16 << 10;

    /** What a message that is collected begins with, whatever size it claims. */
    private static final int FIRST_BYTES = 64 << 10;

    private final Link link;
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .flip();

    RequestInput(Link link) {
        this.link = link;
    }

    /** The next byte, or -1 where the client has closed the connection; waits for it without a limit. */
    int next() throws IOException {
        if (!in.hasRemaining()) {
            in.clear();
            int got = link.receiveSome(in);
            in.flip();
            if (got < 0) {
                return -1;
            }
        }
        return in.get() & 0xff;
    }

    /** The next bytes, at most {@value #BUFFER_BYTES}; the buffer is used again for the next. */
    ByteBuffer receive(int bytes) throws IOException {
        if (in.remaining() < bytes) {
            int missing = bytes - in.remaining();
            in.compact();
            try {
                link.receiveAtLeast(in, missing);
            } finally {
                in.flip();
            }
        }
        ByteBuffer received = in.slice(in.position(), bytes).order(ByteOrder.LITTLE_ENDIAN);
        in.position(in.position() + bytes);
        return received;
    }

    /** Fills what remains of a buffer. */
    void receive(ByteBuffer target) throws IOException {
        int ahead = Math.min(in.remaining(), target.remaining());
        target.put(in.slice(in.position(), ahead));
        in.position(in.position() + ahead);
        if (target.hasRemaining()) {
            link.receive(target);
        }
    }

    /** The next bytes in an array of their own, which grows as they come: a size costs nothing before its bytes do. */
    byte[] collect(int bytes) throws IOException {
        byte[] all = new byte[Math.min(bytes, FIRST_BYTES)];
        int got = 0;
        while (got < bytes) {
            if (got == all.length) {
                all = Arrays.copyOf(all, (int) Math.min(bytes, 2L * got));
            }
            ByteBuffer part = receive(Math.min(all.length - got, BUFFER_BYTES));
            int count = part.remaining();
            part.get(all, got, count);
            got += count;
        }
        return all;
    }
}
