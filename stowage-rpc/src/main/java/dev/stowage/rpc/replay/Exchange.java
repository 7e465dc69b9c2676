package dev.stowage.rpc.replay;

import dev.stowage.error.MalformedDataException;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request of a recording and its reply.
 *
 * @param number the position among the requests of its connection
 * @param request the payload, from position 0 on
 * @param reply the payload of the reply, or null if there is none
 */
record Exchange(
        int number,
        Command command,
        ByteBuffer request,
        @Nullable ByteBuffer reply) {

    /**
     * The version that the server of a conversation answered with.
     *
     * @throws MalformedDataException if it is not known, or the conversation does not begin with HELLO
     */
    static Dialect dialect(Recording.Conversation conversation) {
        ByteBuffer replies = conversation.replies();
        if (conversation.requests().limit() == 0
                || conversation.requests().get(0) != Command.HELLO.number()
                || replies.limit() < Long.BYTES + 28) {
            throw new MalformedDataException("connection " + conversation.connection() + " does not begin with HELLO");
        }
        int at = Long.BYTES;
        Dialect dialect = Dialect.find(replies.get(at), replies.get(at + 1), replies.get(at + 2));
        if (dialect == null) {
            throw new MalformedDataException("the recorded server speaks version " + replies.get(at) + "."
                    + replies.get(at + 1) + "." + replies.get(at + 2) + "; known are " + Dialect.known());
        }
        return dialect;
    }

    /** All exchanges of a conversation. */
    static List<Exchange> of(Recording.Conversation conversation, Dialect dialect) {
        List<Exchange> all = new ArrayList<>();
        ByteBuffer requests = conversation.requests().duplicate().order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer replies = conversation.replies().duplicate().order(ByteOrder.LITTLE_ENDIAN);
        while (requests.remaining() >= Command.HEADER_BYTES) {
            Command command = Command.ofNumber(requests.get() & 0xff);
            if (command == null) {
                throw new MalformedDataException(
                        "connection " + conversation.connection() + " has an unknown command after " + all.size());
            }
            ByteBuffer request = payload(requests);
            // A recording may end while the last reply is on its way.
            boolean answered = command.isAnswered(dialect) && replies.remaining() >= Long.BYTES;
            all.add(new Exchange(all.size(), command, request, answered ? payload(replies) : null));
        }
        return all;
    }

    private static ByteBuffer payload(ByteBuffer from) {
        long size = from.getLong();
        if (size < 0 || size > from.remaining()) {
            throw new MalformedDataException("a message of " + Long.toUnsignedString(size) + " bytes is cut off");
        }
        ByteBuffer payload = from.slice(from.position(), (int) size).order(ByteOrder.LITTLE_ENDIAN);
        from.position(from.position() + (int) size);
        return payload;
    }
}
