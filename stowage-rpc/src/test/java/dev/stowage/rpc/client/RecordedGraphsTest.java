package dev.stowage.rpc.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.OpSupport;
import dev.stowage.rpc.client.FakeServer.Fault;
import dev.stowage.rpc.client.FakeServer.Script;
import dev.stowage.rpc.client.RecordedRequests.Request;
import dev.stowage.rpc.replay.Recording;
import dev.stowage.rpc.replay.Replay;
import dev.stowage.rpc.server.RpcServer;
import dev.stowage.rpc.server.RpcServerOptions;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.GraphMessage;
import dev.stowage.rpc.wire.Watch;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Graphs that llama.cpp's client has sent, sent again by ours: a recorded conversation is played to a server of ours that
 * lends a device which our client has from another server.
 */
class RecordedGraphsTest {

    private static final RpcClientOptions EVERYTHING =
            RpcClientOptions.defaults().withClaims(_ -> OpSupport.yes());

    private static Recording recording(String name) throws Exception {
        return Recording.read(Path.of(RecordedGraphsTest.class
                .getResource("/dev/stowage/rpc/" + name + ".bin.gz")
                .toURI()));
    }

    private static RpcServerOptions lending(Device device, Recording recording) {
        return RpcServerOptions.of(Collections.nCopies(Replay.devices(recording), device))
                .withPort(0)
                .withDialect(Replay.dialect(recording));
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen2", "llama-moe", "lexicon-q4_0-flash", "lexicon-q8_0"})
    void areDescribedAsRecordedFieldByField(String name) throws Exception {
        Recording recording = recording(name);
        Dialect dialect = Replay.dialect(recording);
        List<Request> sent = new CopyOnWriteArrayList<>();
        try (FakeServer fake = new FakeServer();
                Connection connection = Connection.over(
                        fake.connect(new Script(Fault.PIECES, Integer.MAX_VALUE, 0, dialect)),
                        new Endpoint("fake", 1),
                        EVERYTHING,
                        Watch.SYSTEM)) {
            fake.observe((command, payload) -> sent.add(new Request(command, payload, ByteBuffer.allocate(0))));
            Device device = RemoteServer.find(connection, 0, EVERYTHING).getFirst();
            try (RpcServer server = RpcServer.start(lending(device, recording))) {
                Replay.play(recording, server.address());
            }
            assertThat(connection.health().lossCause()).isEmpty();
        }
        List<ByteBuffer> ours = computed(sent);
        List<Request> recorded = RecordedRequests.of(recording);
        List<ByteBuffer> theirs = computed(recorded);
        assertThat(ours).hasSameSizeAs(theirs).isNotEmpty();
        RecordedMemory memory = new RecordedMemory(recorded);
        for (int run = 0; run < theirs.size(); run++) {
            GraphMessage ourGraph = new GraphMessage(ours.get(run));
            GraphMessage theirGraph = new GraphMessage(theirs.get(run));
            GraphComparison.verifySame(name + ", run " + run, theirGraph, ourGraph, memory);
        }
    }

    /** The graph of every run, whether it was sent for it or before. */
    private static List<ByteBuffer> computed(List<Request> requests) {
        List<ByteBuffer> graphs = new ArrayList<>();
        for (Request request : requests) {
            if (request.command() == Command.GRAPH_COMPUTE) {
                graphs.add(request.payload());
            } else if (request.command() == Command.GRAPH_RECOMPUTE) {
                graphs.add(graphs.getLast());
            }
        }
        return graphs;
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen2", "llama-moe", "lexicon-q4_0-flash"})
    void areComputedAsRecordedThroughTwoServers(String name) throws Exception {
        Recording recording = recording(name);
        try (DeviceRegistry registry = DeviceRegistry.load();
                RpcServer far = RpcServer.start(lending(registry.device("cpu"), recording));
                RpcProvider provider = new RpcProvider(
                        List.of(new Endpoint("127.0.0.1", far.address().getPort())), EVERYTHING);
                RpcServer near = RpcServer.start(lending(provider.devices().getFirst(), recording))) {
            List<Replay.Outcome> outcomes = Replay.play(recording, near.address());
            assertThat(outcomes).hasSizeGreaterThan(20);
            assertThat(outcomes.stream().filter(outcome -> !outcome.passed())).isEmpty();
        }
    }
}
