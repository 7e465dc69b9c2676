package dev.stowage.rpc.client;

import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Link;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The replies that are on their way, in the order of their requests. How long each has to be is known before it comes, so
 * that no length of the server's is believed. One thread at a time.
 */
final class Replies {

    private static final int MOST_AWAITED = 256;

    private final Deque<Reply> awaited = new ArrayDeque<>();
    private long roundTrips;

    /** What is done with a reply of that many bytes. */
    private record Reply(Command command, long bytes, Receiver receiver) {}

    /** Takes the payload of a reply off a link. */
    interface Receiver {
        void receive(Link link) throws IOException;
    }

    void await(Command command, long bytes, Receiver receiver) {
        awaited.add(new Reply(command, bytes, receiver));
    }

    /** A server whose replies are not taken stops reading at some point, and nothing more could be sent. */
    boolean areMany() {
        return awaited.size() >= MOST_AWAITED;
    }

    /** How often replies were waited for, where those that came together count once. */
    long roundTrips() {
        return roundTrips;
    }

    /**
     * Takes all of them.
     *
     * @throws IOException if one has another length than it must have, or does not come; the message names its command
     */
    void settle(Link link) throws IOException {
        if (!awaited.isEmpty()) {
            roundTrips++;
        }
        while (!awaited.isEmpty()) {
            Reply reply = awaited.remove();
            try {
                take(reply, link);
            } catch (IOException e) {
                String why = e.getMessage() == null ? "the connection was closed" : e.getMessage();
                throw new IOException("no good reply to " + reply.command + ": " + why, e);
            }
        }
    }

    private static void take(Reply reply, Link link) throws IOException {
        long size = link.receive(Long.BYTES).getLong(0);
        if (size != reply.bytes) {
            throw new IOException(
                    "it has " + Long.toUnsignedString(size) + " bytes where " + reply.bytes + " were expected");
        }
        reply.receiver.receive(link);
    }

    /** Awaits none of them any more. */
    void forget() {
        awaited.clear();
    }
}
