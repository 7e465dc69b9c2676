package dev.stowage.rpc.client;

import dev.stowage.rpc.replay.Recording;
import dev.stowage.rpc.replay.Replay;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The requests of a recording, one connection after the other. */
final class RecordedRequests {

    /** A request and its reply, which has no bytes where there is none. */
    record Request(Command command, ByteBuffer payload, ByteBuffer reply) {}

    private RecordedRequests() {}

    static List<Request> of(Recording recording) {
        Dialect dialect = Replay.dialect(recording);
        List<Request> all = new ArrayList<>();
        for (Recording.Conversation conversation : recording.conversations()) {
            ByteBuffer requests = conversation.requests().duplicate().order(ByteOrder.LITTLE_ENDIAN);
            ByteBuffer replies = conversation.replies().duplicate().order(ByteOrder.LITTLE_ENDIAN);
            while (requests.hasRemaining()) {
                Command command = Objects.requireNonNull(Command.ofNumber(requests.get()));
                ByteBuffer payload = payload(requests);
                boolean answered = command.isAnswered(dialect) && replies.hasRemaining();
                all.add(new Request(command, payload, answered ? payload(replies) : ByteBuffer.allocate(0)));
            }
        }
        return all;
    }

    private static ByteBuffer payload(ByteBuffer from) {
        int size = Math.toIntExact(from.getLong());
        ByteBuffer payload = from.slice(from.position(), size).order(ByteOrder.LITTLE_ENDIAN);
        from.position(from.position() + size);
        return payload;
    }
}
