package dev.stowage.rpc.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferUsage;
import dev.stowage.rpc.client.FakeServer.Fault;
import dev.stowage.rpc.client.FakeServer.Script;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.Watch;
import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When a server is asked for bytes that it may have kept, and when they are sent. */
class KeptWeightsTest {

    /** A few bytes more than servers keep. */
    private static final int LONG = (int) KeptWeights.THRESHOLD + 64;

    private static final List<Command> TAKEN = List.of(Command.SET_TENSOR_HASH, Command.GET_TENSOR);
    private static final List<Command> TAKEN_IN_VAIN =
            List.of(Command.SET_TENSOR_HASH, Command.GET_TENSOR, Command.SET_TENSOR);
    private static final List<Command> NOT_THERE = List.of(Command.SET_TENSOR_HASH, Command.SET_TENSOR);
    private static final List<Command> SENT = List.of(Command.SET_TENSOR);

    /** The requests that move bytes. */
    private record Request(Command command, ByteBuffer payload) {}

    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private FakeServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
        server.observe((command, payload) -> {
            if (TAKEN_IN_VAIN.contains(command)) {
                requests.add(new Request(command, payload));
            }
        });
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private Connection connect(boolean keeps, CacheUse use, Dialect dialect) throws IOException {
        Map<Command, byte[]> answers = Map.of(Command.SET_TENSOR_HASH, new byte[] {(byte) (keeps ? 1 : 0)});
        return Connection.over(
                server.connect(new Script(Fault.PIECES, Integer.MAX_VALUE, 0, dialect, answers)),
                new Endpoint("fake", 1),
                RpcClientOptions.defaults().withCache(use),
                Watch.SYSTEM);
    }

    private static Buffer memory(Connection connection, BufferUsage usage) {
        RpcDevice device =
                RemoteServer.find(connection, 0, RpcClientOptions.defaults()).getFirst();
        return device.bufferType().allocate(1L << 25).setUsage(usage);
    }

    /** The bytes that the fake server has everywhere. */
    private static byte[] asOnTheServer(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, FakeReplies.CONTENT);
        return bytes;
    }

    private static BoundTensor tensor(Buffer buffer, int bytes) {
        return BoundTensor.at(Tensor.leaf(Layout.contiguous(ElementType.I8, bytes)), buffer, 0);
    }

    /** Writes bytes and returns the requests that it took. */
    private List<Command> write(Buffer buffer, byte[] bytes) {
        requests.clear();
        tensor(buffer, bytes.length).set(0, MemorySegment.ofArray(bytes));
        // Something with a reply, so that the server has seen all.
        ((RpcBuffer) buffer).connection().inquiries().memory(0);
        return requests.stream().map(Request::command).toList();
    }

    @Test
    void aWeightThatTheServerHasIsNotSent() throws IOException {
        try (Connection connection = connect(true, CacheUse.AUTO, Dialect.DEFAULT);
                Buffer weights = memory(connection, BufferUsage.WEIGHTS)) {
            byte[] bytes = asOnTheServer(LONG);
            assertThat(write(weights, bytes)).isEqualTo(TAKEN);
            assertThat(requests.getFirst().payload.getLong(WireTensor.BYTES)).isZero();
            assertThat(requests.getFirst().payload.getLong(WireTensor.BYTES + Long.BYTES))
                    .isEqualTo(Fnv.hash(MemorySegment.ofArray(bytes)));
        }
    }

    /** A server that was ended while it wrote a file does not notice that the file is too short. */
    @Test
    void aWeightThatTheServerHasOnlyInPartIsSent() throws IOException {
        try (Connection connection = connect(true, CacheUse.AUTO, Dialect.DEFAULT);
                Buffer weights = memory(connection, BufferUsage.WEIGHTS)) {
            byte[] bytes = asOnTheServer(LONG);
            bytes[LONG - 1]++;
            assertThat(write(weights, bytes)).isEqualTo(TAKEN_IN_VAIN);
            assertThat(requests.getLast().payload.remaining()).isEqualTo(WireTensor.BYTES + Long.BYTES + LONG);
            assertThat(requests.getLast().payload.get(WireTensor.BYTES + Long.BYTES + LONG - 1))
                    .isEqualTo(bytes[LONG - 1]);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = BufferUsage.class,
            names = {"WEIGHTS"},
            mode = EnumSource.Mode.EXCLUDE)
    void whatIsNoWeightIsSentWithoutAsking(BufferUsage usage) throws IOException {
        try (Connection connection = connect(true, CacheUse.ALWAYS, Dialect.DEFAULT);
                Buffer buffer = memory(connection, usage)) {
            assertThat(write(buffer, asOnTheServer(LONG))).isEqualTo(SENT);
        }
    }

    @Test
    void whatServersDoNotKeepIsSentWithoutAsking() throws IOException {
        try (Connection connection = connect(true, CacheUse.ALWAYS, Dialect.DEFAULT);
                Buffer weights = memory(connection, BufferUsage.WEIGHTS)) {
            assertThat(write(weights, asOnTheServer((int) KeptWeights.THRESHOLD)))
                    .isEqualTo(SENT);
            assertThat(write(weights, asOnTheServer((int) KeptWeights.THRESHOLD + 1)))
                    .isEqualTo(TAKEN);
        }
    }

    @Test
    void aServerThatLacksOneWeightIsNotAskedForAnother() throws IOException {
        try (Connection connection = connect(false, CacheUse.AUTO, Dialect.DEFAULT);
                Buffer weights = memory(connection, BufferUsage.WEIGHTS)) {
            assertThat(write(weights, asOnTheServer(LONG))).isEqualTo(NOT_THERE);
            assertThat(write(weights, asOnTheServer(LONG))).isEqualTo(SENT);
        }
    }

    @Test
    void alwaysMeansForEveryWeight() throws IOException {
        try (Connection connection = connect(false, CacheUse.ALWAYS, Dialect.DEFAULT);
                Buffer weights = memory(connection, BufferUsage.WEIGHTS)) {
            assertThat(write(weights, asOnTheServer(LONG))).isEqualTo(NOT_THERE);
            assertThat(write(weights, asOnTheServer(LONG))).isEqualTo(NOT_THERE);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void neverMeansForNone(boolean keeps) throws IOException {
        try (Connection connection = connect(keeps, CacheUse.NEVER, Dialect.DEFAULT);
                Buffer weights = memory(connection, BufferUsage.WEIGHTS)) {
            assertThat(write(weights, asOnTheServer(LONG))).isEqualTo(SENT);
        }
    }

    @ParameterizedTest
    @CsvSource({"AUTO, WEIGHTS, 1", "ALWAYS, WEIGHTS, 1", "NEVER, WEIGHTS, 0", "AUTO, ANY, 0", "ALWAYS, COMPUTE, 0"})
    void aServerIsAskedToKeepOnlyWeightsWhereTheProtocolCanSaySo(CacheUse use, BufferUsage usage, int flag)
            throws IOException {
        Dialect newest = Dialect.ALL.getLast();
        assertThat(newest.hasCacheFlag()).isTrue();
        try (Connection connection = connect(false, use, newest);
                Buffer buffer = memory(connection, usage)) {
            write(buffer, asOnTheServer(64));
            assertThat(requests.getLast().payload.get(WireTensor.BYTES)).isEqualTo((byte) flag);
            assertThat(requests.getLast().payload.remaining()).isEqualTo(WireTensor.BYTES + 1 + Long.BYTES + 64);
        }
    }
}
