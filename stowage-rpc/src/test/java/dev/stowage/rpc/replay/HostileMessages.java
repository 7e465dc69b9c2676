package dev.stowage.rpc.replay;

import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.GraphMessage;
import dev.stowage.rpc.wire.WireTensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Messages of a recorded conversation, as they were and with some of their fields changed. A server gives the same handles
 * and addresses to every client that asks for the same buffers, so that all a client says can be written down beforehand.
 */
public final class HostileMessages {

    private static final long[] EXTREMES = {
        0,
        1,
        -1,
        2,
        31,
        33,
        255,
        4096,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        1L << 32,
        1L << 40,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    private static final int[] FILLS = {0, 1, 0x3c, 0x7f, 0x80, 0xff};
    private static final int TYPE = 8;
    private static final int BUFFER = 12;
    private static final int DIMENSIONS = 20;
    private static final int OP = 52;
    private static final int PARAMETERS = 56;
    private static final int SOURCES = 124;
    private static final int DATA = 220;
    private static final int LARGEST_TEMPLATE = 1 << 17;

    private final List<Exchange> exchanges;
    private final List<Exchange> templates;
    private final List<Exchange> graphs;
    private final HandleMap handles = new HandleMap();
    private final SplittableRandom random;
    private final SmallGraphs small;

    private HostileMessages(Recording.Conversation conversation, SplittableRandom random) {
        this.exchanges = Exchange.of(conversation, Exchange.dialect(conversation));
        this.templates = exchanges.stream()
                .filter(each -> each.request().limit() < LARGEST_TEMPLATE)
                .toList();
        this.graphs = templates.stream()
                .filter(each -> each.command() == Command.GRAPH_COMPUTE)
                .toList();
        this.random = random;
        this.small = new SmallGraphs(random);
    }

    /** The messages of a recording of the tests. */
    public static HostileMessages of(String name, long seed) throws IOException {
        try {
            Recording recording = Recording.read(Path.of(HostileMessages.class
                    .getResource("/dev/stowage/rpc/" + name + ".bin.gz")
                    .toURI()));
            return new HostileMessages(recording.conversations().getLast(), new SplittableRandom(seed));
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    /** The greeting and the requests for buffers; handles are those of our server, which counts them from 1. */
    public byte[] opening() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        long handle = 0;
        for (Exchange each : exchanges) {
            ByteBuffer request = copy(each.request());
            ByteBuffer reply = each.reply();
            if (reply != null && each.command() == Command.ALLOC_BUFFER) {
                handles.allocated(reply.getLong(0), ++handle);
            }
            if (isOpening(each)) {
                handles.rewrite(each.command(), request);
                write(out, each.command().number(), request.limit(), request);
            }
        }
        return out.toByteArray();
    }

    private static boolean isOpening(Exchange each) {
        return each.reply() != null
                && (each.command() == Command.HELLO
                        || each.command() == Command.ALLOC_BUFFER
                        || each.command() == Command.BUFFER_GET_BASE);
    }

    /** Takes the addresses from the replies to {@link #opening}. */
    public void learn(byte[] replies) {
        ByteBuffer in = ByteBuffer.wrap(replies).order(ByteOrder.LITTLE_ENDIAN);
        for (Exchange each : exchanges) {
            ByteBuffer reply = each.reply();
            if (reply != null && isOpening(each)) {
                int size = (int) in.getLong();
                if (each.command() == Command.BUFFER_GET_BASE) {
                    long recordedHandle = each.request().getLong(0);
                    handles.base(recordedHandle, reply.getLong(0), in.getLong(in.position()));
                    small.base(in.getLong(in.position()));
                }
                in.position(in.position() + size);
            }
        }
    }

    /** One of the recorded messages that are not long, as it was; none that frees a buffer, which others use. */
    public byte[] valid() {
        Exchange template = templates.get(random.nextInt(templates.size()));
        while (template.command() == Command.FREE_BUFFER) {
            template = templates.get(random.nextInt(templates.size()));
        }
        return message(template);
    }

    /** One of the recorded graphs, as it was. */
    public byte[] graph() {
        return message(graphs.get(random.nextInt(graphs.size())));
    }

    private byte[] message(Exchange template) {
        ByteBuffer request = copy(template.request());
        handles.rewrite(template.command(), request);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        write(out, template.command().number(), request.limit(), request);
        return out.toByteArray();
    }

    /** A message that fills the first buffers with a byte: as numbers, garbage, as indices, out of range. */
    public byte[] fill() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (long handle = 1; handle <= 3; handle++) {
            ByteBuffer request = ByteBuffer.allocate(9).order(ByteOrder.LITTLE_ENDIAN);
            request.putLong(handle)
                    .put((byte) FILLS[random.nextInt(FILLS.length)])
                    .flip();
            write(out, Command.BUFFER_CLEAR.number(), 9, request);
        }
        return out.toByteArray();
    }

    /** A changed message: one of the recorded ones, or a graph of a few tensors with any op. */
    public byte[] next() {
        Command command = Command.GRAPH_COMPUTE;
        ByteBuffer request;
        if (random.nextInt(3) == 0) {
            request = small.next();
        } else {
            List<Exchange> from = random.nextInt(4) == 0 ? graphs : templates;
            Exchange template = from.get(random.nextInt(from.size()));
            command = template.command();
            request = copy(template.request());
            handles.rewrite(command, request);
        }
        List<Integer> tensors = tensors(command, request);
        for (int changes = random.nextInt(4); changes > 0 && request.limit() > 0; changes--) {
            change(request, tensors);
        }
        int number = random.nextInt(50) == 0 ? random.nextInt(20) : command.number();
        if (random.nextInt(40) == 0 && request.limit() > 0) {
            request.limit(random.nextInt(request.limit()));
        }
        long size = random.nextInt(60) == 0 ? extreme() : request.limit();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        write(out, number, size, request);
        return out.toByteArray();
    }

    /** Where the tensors of a message begin. */
    private static List<Integer> tensors(Command command, ByteBuffer request) {
        return switch (command) {
            case SET_TENSOR, SET_TENSOR_HASH, GET_TENSOR, INIT_TENSOR, MEMSET_TENSOR -> List.of(0);
            case COPY_TENSOR -> List.of(0, WireTensor.BYTES);
            case GET_ALLOC_SIZE -> List.of(Integer.BYTES);
            case GRAPH_COMPUTE -> {
                GraphMessage graph = new GraphMessage(request);
                int first = 12 + 8 * graph.nodeCount();
                yield IntStream.range(0, graph.tensorCount())
                        .mapToObj(i -> first + WireTensor.BYTES * i)
                        .toList();
            }
            default -> List.of();
        };
    }

    private void change(ByteBuffer request, List<Integer> tensors) {
        if (tensors.isEmpty() || random.nextInt(5) == 0) {
            any(request, random.nextInt(request.limit()));
            return;
        }
        int tensor = tensors.get(random.nextInt(tensors.size()));
        int other = tensors.get(random.nextInt(tensors.size()));
        int dimension = DIMENSIONS + 4 * random.nextInt(8);
        switch (random.nextInt(10)) {
            case 0 -> request.putInt(tensor + TYPE, random.nextInt(42));
            case 1 -> request.putLong(tensor + BUFFER, random.nextInt(5));
            case 2 -> request.putInt(tensor + dimension, request.getInt(tensor + dimension) << random.nextInt(1, 4));
            case 3 -> request.putInt(tensor + dimension, request.getInt(tensor + dimension) >> random.nextInt(1, 4));
            case 4 -> request.putInt(tensor + dimension, random.nextBoolean() ? random.nextInt(70) : (int) extreme());
            case 5 -> request.putInt(tensor + OP, random.nextInt(104));
            case 6 -> request.putInt(tensor + PARAMETERS + 4 * random.nextInt(16), parameter());
            case 7 -> request.putLong(tensor + SOURCES + 8 * random.nextInt(11), request.getLong(other));
            case 8 -> request.putLong(tensor + DATA, request.getLong(other + DATA) + random.nextInt(-64, 65));
            default -> any(request, tensor + 4 * random.nextInt(WireTensor.BYTES / 4));
        }
    }

    private int parameter() {
        return switch (random.nextInt(4)) {
            case 0 -> (int) extreme();
            case 1 -> Float.floatToRawIntBits((float) random.nextDouble(-1e4, 1e4));
            case 2 -> Float.floatToRawIntBits(Float.NaN);
            default -> random.nextInt(-4, 40);
        };
    }

    private void any(ByteBuffer request, int at) {
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

    private static void write(ByteArrayOutputStream out, int number, long size, ByteBuffer payload) {
        byte[] message = new byte[Command.HEADER_BYTES + payload.limit()];
        ByteBuffer.wrap(message)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) number)
                .putLong(size)
                .put(payload.duplicate().rewind());
        out.writeBytes(message);
    }
}
