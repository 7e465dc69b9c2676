package dev.stowage.rpc.replay;

import dev.stowage.device.DeviceRegistry;
import dev.stowage.rpc.server.RpcServer;
import dev.stowage.rpc.server.RpcServerOptions;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.GraphMessage;
import dev.stowage.rpc.wire.Link;
import dev.stowage.rpc.wire.WireTensor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Sends the messages of a recorded conversation with some of their bytes changed. The buffers are allocated as recorded, so
 * that a message which the changes leave valid is carried out: with memory that holds anything.
 */
public final class HostileClient {

    private static final long[] EXTREMES = {
        0,
        1,
        -1,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        1L << 32,
        1L << 40,
        31,
        33,
        255,
        4096
    };

    private static final int PER_CONNECTION = 50;

    private final InetSocketAddress server;
    private final List<Exchange> exchanges;
    private final List<Exchange> templates;
    private final Dialect dialect;
    private final SplittableRandom random;
    private long executed;
    private long refused;

    private HostileClient(Recording.Conversation conversation, InetSocketAddress server, long seed) {
        this.server = server;
        this.dialect = Exchange.dialect(conversation);
        this.exchanges = Exchange.of(conversation, dialect);
        // Few messages are long; short ones are tried as often as graphs.
        this.templates = exchanges.stream()
                .filter(each -> each.request().limit() < 1 << 20)
                .toList();
        this.random = new SplittableRandom(seed);
    }

    /** The client of a recording of the tests. */
    public static HostileClient of(String name, InetSocketAddress server, long seed) throws IOException {
        try {
            Recording recording = Recording.read(Path.of(HostileClient.class
                    .getResource("/dev/stowage/rpc/" + name + ".bin.gz")
                    .toURI()));
            return new HostileClient(recording.conversations().getLast(), server, seed);
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    /** Messages after which the connection was still there. */
    public long executed() {
        return executed;
    }

    /** Messages that ended the connection. */
    public long refused() {
        return refused;
    }

    /** Whether a client that keeps to the protocol is served. */
    public boolean isServed() throws IOException {
        try (Link link = new Link(connect(), Duration.ofSeconds(20))) {
            open(link, new HandleMap());
            return true;
        }
    }

    /** A connection on which small messages leave at once, as those of llama.cpp's client do. */
    private SocketChannel connect() throws IOException {
        return SocketChannel.open(server).setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    /** Sends that many changed messages. */
    public void run(long messages) throws IOException {
        for (long sent = 0; sent < messages; ) {
            SocketChannel channel = connect();
            try (Link link = new Link(channel, Duration.ofSeconds(20))) {
                HandleMap handles = new HandleMap();
                open(link, handles);
                for (int i = 0; i < PER_CONNECTION && sent < messages; i++) {
                    sent++;
                    if (!attack(channel, link, handles)) {
                        refused++;
                        break;
                    }
                    executed++;
                }
            }
        }
    }

    /** Greets and takes the buffers of the recording. */
    private void open(Link link, HandleMap handles) throws IOException {
        for (Exchange each : exchanges) {
            ByteBuffer recorded = each.reply();
            if (recorded != null
                    && (each.command() == Command.HELLO
                            || each.command() == Command.ALLOC_BUFFER
                            || each.command() == Command.BUFFER_GET_BASE)) {
                ByteBuffer request = copy(each.request());
                handles.rewrite(each.command(), request);
                send(link, each.command().number(), request.limit(), request);
                ByteBuffer reply = link.receive((int) link.receive(Long.BYTES).getLong(0));
                if (each.command() == Command.ALLOC_BUFFER) {
                    handles.allocated(recorded.getLong(0), reply.getLong(0));
                } else if (each.command() == Command.BUFFER_GET_BASE) {
                    handles.base(each.request().getLong(0), recorded.getLong(0), reply.getLong(0));
                }
            }
        }
    }

    /** Sends a changed message and asks for something after it; whether that was answered. */
    private boolean attack(SocketChannel channel, Link link, HandleMap handles) {
        Exchange template = templates.get(random.nextInt(templates.size()));
        if (random.nextInt(3) == 0) {
            List<Exchange> graphs = templates.stream()
                    .filter(each -> each.command() == Command.GRAPH_COMPUTE)
                    .toList();
            template = graphs.get(random.nextInt(graphs.size()));
        }
        ByteBuffer request = copy(template.request());
        handles.rewrite(template.command(), request);
        int number = random.nextInt(50) == 0
                ? random.nextInt(256)
                : template.command().number();
        for (int changes = random.nextInt(4); changes > 0 && request.limit() > 0; changes--) {
            change(template, request);
        }
        int bytes = request.limit();
        long size = random.nextInt(40) == 0 ? extreme() : bytes;
        try {
            send(link, number, size, request);
            send(link, Command.DEVICE_COUNT.number(), 0, ByteBuffer.allocate(0));
            if (size != bytes || number != template.command().number()) {
                // Nobody waits for bytes that never come.
                channel.shutdownOutput();
            }
            if (template.command().isAnswered(dialect)) {
                link.receive((int) Math.min(1 << 20, link.receive(Long.BYTES).getLong(0)));
            }
            return link.receive(Long.BYTES).getLong(0) == Integer.BYTES
                    && link.receive(Integer.BYTES).getInt(0) >= 1;
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }

    /** Changes a field of a tensor in a graph, or any bytes. */
    private void change(Exchange template, ByteBuffer request) {
        int at = random.nextInt(request.limit());
        if (template.command() == Command.GRAPH_COMPUTE && random.nextInt(4) > 0) {
            // The counts of the request may have been changed already.
            GraphMessage graph = new GraphMessage(copy(template.request()));
            int tensor = random.nextInt(graph.tensorCount());
            at = 12 + 8 * graph.nodeCount() + WireTensor.BYTES * tensor + 4 * random.nextInt(WireTensor.BYTES / 4);
        }
        switch (random.nextInt(4)) {
            case 0 -> request.put(at, (byte) random.nextInt());
            case 1 -> put(request, at, extreme());
            case 2 -> put(request, at, at + 8 <= request.limit() ? request.getLong(at) + random.nextInt(-64, 65) : 0);
            default -> request.put(at, (byte) (request.get(at) ^ 1 << random.nextInt(8)));
        }
    }

    private long extreme() {
        return EXTREMES[random.nextInt(EXTREMES.length)];
    }

    private void put(ByteBuffer request, int at, long value) {
        if (random.nextBoolean() && at + 8 <= request.limit()) {
            request.putLong(at, value);
        } else if (at + 4 <= request.limit()) {
            request.putInt(at, (int) value);
        }
    }

    private static ByteBuffer copy(ByteBuffer from) {
        ByteBuffer copy = ByteBuffer.allocate(from.limit()).order(ByteOrder.LITTLE_ENDIAN);
        return copy.put(from.duplicate().rewind()).flip();
    }

    private static void send(Link link, int number, long size, ByteBuffer payload) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(Command.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        link.send(header.put((byte) number).putLong(size).flip(), payload);
    }

    /** Sends as many messages as the first argument says; the second is the seed. */
    public static void main(String[] args) throws IOException {
        try (DeviceRegistry registry = DeviceRegistry.load();
                RpcServer server = RpcServer.start(RpcServerOptions.of(List.of(registry.device("cpu")))
                        .withPort(0)
                        .withMemory(64 << 20)
                        .withTransferLimit(Duration.ofSeconds(1)))) {
            long left = Long.parseLong(args[0]);
            HostileClient client = of("qwen2", server.address(), Long.parseLong(args[1]));
            while (left > 0) {
                client.run(Math.min(left, 10_000));
                left -= 10_000;
                System.out.println(client.executed() + " carried out, " + client.refused() + " refused, "
                        + server.memoryInUse() + " bytes in use, served: " + client.isServed());
            }
        }
    }
}
