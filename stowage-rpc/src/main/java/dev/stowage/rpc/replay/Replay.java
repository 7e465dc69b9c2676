package dev.stowage.rpc.replay;

import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.GraphMessage;
import dev.stowage.rpc.wire.Link;
import dev.stowage.rpc.wire.WireTensor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Plays the client of a {@link Recording} to a server and compares its replies with those recorded, one case for every
 * request that has a reply. Handles and addresses, which differ in every run, are replaced by those of the server.
 */
public final class Replay {

    private static final Duration LIMIT = Duration.ofMinutes(2);

    /**
     * What came of a request that has a reply.
     *
     * @param problem null if the reply was right
     */
    public record Outcome(
            int connection,
            int request,
            Command command,
            String tensor,
            @Nullable String problem) {

        /** Whether the reply was right. */
        public boolean passed() {
            return problem == null;
        }

        @Override
        public String toString() {
            return "connection " + connection + ", request " + request + ", " + command
                    + (tensor.isEmpty() ? "" : " of '" + tensor + "'") + ": " + (problem == null ? "passed" : problem);
        }
    }

    private Replay() {}

    /**
     * The version that the recorded server spoke, which the one that is played to must speak too.
     *
     * @throws dev.stowage.error.MalformedDataException if it is not known
     */
    public static Dialect dialect(Recording recording) {
        return Exchange.dialect(recording.conversations().getFirst());
    }

    /** How many devices the recorded server had; 1 if nobody asked. */
    public static int devices(Recording recording) {
        int most = 1;
        for (Recording.Conversation conversation : recording.conversations()) {
            for (Exchange exchange : Exchange.of(conversation, Exchange.dialect(conversation))) {
                if (exchange.command() == Command.DEVICE_COUNT && exchange.reply() != null) {
                    most = Math.max(most, exchange.reply().getInt(0));
                }
            }
        }
        return most;
    }

    /** Plays all connections, one after the other. */
    public static List<Outcome> play(Recording recording, InetSocketAddress server) {
        List<Outcome> outcomes = new ArrayList<>();
        for (Recording.Conversation conversation : recording.conversations()) {
            play(conversation, server, outcomes);
        }
        return outcomes;
    }

    private static void play(Recording.Conversation conversation, InetSocketAddress server, List<Outcome> outcomes) {
        Dialect dialect = Exchange.dialect(conversation);
        HandleMap handles = new HandleMap();
        Tolerance tolerance = new Tolerance();
        String broken = null;
        try (SocketChannel channel = SocketChannel.open(server)) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Link link = new Link(channel, LIMIT);
            for (Exchange exchange : Exchange.of(conversation, dialect)) {
                if (exchange.command() == Command.GRAPH_COMPUTE) {
                    tolerance.note(new GraphMessage(exchange.request()), dialect);
                }
                if (broken == null) {
                    try {
                        send(link, exchange, handles);
                    } catch (IOException e) {
                        broken = "the server closed the connection: " + e.getMessage();
                    }
                }
                if (exchange.reply() != null) {
                    String problem = broken;
                    if (broken == null) {
                        try {
                            problem = receive(link, exchange, handles, tolerance);
                        } catch (IOException e) {
                            broken = "the server closed the connection: " + e.getMessage();
                            problem = broken;
                        }
                    }
                    outcomes.add(new Outcome(
                            conversation.connection(), exchange.number(), exchange.command(), name(exchange), problem));
                }
            }
        } catch (IOException e) {
            outcomes.add(new Outcome(
                    conversation.connection(),
                    0,
                    Command.HELLO,
                    "",
                    "no connection to " + server + ": " + e.getMessage()));
        }
    }

    private static void send(Link link, Exchange exchange, HandleMap handles) throws IOException {
        ByteBuffer payload = ByteBuffer.allocate(exchange.request().limit()).order(ByteOrder.LITTLE_ENDIAN);
        payload.put(exchange.request().duplicate().rewind()).flip();
        handles.rewrite(exchange.command(), payload);
        ByteBuffer header = ByteBuffer.allocate(Command.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.put((byte) exchange.command().number()).putLong(payload.limit()).flip();
        link.send(header, payload);
    }

    private static @Nullable String receive(Link link, Exchange exchange, HandleMap handles, Tolerance tolerance)
            throws IOException {
        ByteBuffer recorded = exchange.reply();
        long size = link.receive(Long.BYTES).getLong(0);
        if (recorded == null || size != recorded.limit()) {
            throw new IOException("a reply of " + size + " bytes came");
        }
        ByteBuffer ours = link.receive((int) size);
        String problem = ReplyCheck.check(exchange.command(), exchange.request(), recorded, ours, tolerance.most());
        if (exchange.command() == Command.ALLOC_BUFFER) {
            handles.allocated(recorded.getLong(0), ours.getLong(0));
        } else if (exchange.command() == Command.BUFFER_GET_BASE) {
            handles.base(exchange.request().getLong(0), recorded.getLong(0), ours.getLong(0));
        }
        return problem;
    }

    private static String name(Exchange exchange) {
        return switch (exchange.command()) {
            case GET_TENSOR, SET_TENSOR_HASH, COPY_TENSOR -> new WireTensor(exchange.request(), 0).name();
            default -> "";
        };
    }
}
