package dev.stowage.cli.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.llm.Batch;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.Session;
import dev.stowage.rpc.client.Endpoint;
import dev.stowage.rpc.client.RpcProvider;
import dev.stowage.rpc.server.RpcServer;
import dev.stowage.rpc.server.RpcServerOptions;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a generated token costs on the wire when all layers are on one server. */
class TokenRoundTripsTest {

    private static final Path MODEL =
            Path.of("../stowage-llm/src/test/resources/dev/stowage/llm/random/tiny-qwen3.gguf");

    private final DeviceRegistry registry = DeviceRegistry.load();
    private RpcServer server;
    private RequestRelay relay;

    @BeforeEach
    void start() throws Exception {
        server = RpcServer.start(
                RpcServerOptions.of(List.of(registry.device("cpu"))).withPort(0));
        relay = new RequestRelay(server.address());
    }

    @AfterEach
    void stop() throws Exception {
        relay.close();
        server.close();
        registry.close();
    }

    @Test
    void aTokenIsOneRoundTripAndSendsNoGraph() {
        try (RpcProvider provider = new RpcProvider(Endpoint.parseAll(relay.endpoint()));
                LanguageModel model = LanguageModel.open(MODEL, options(provider), LoadListener.NONE);
                Session session = model.newSession()) {
            for (int token = 0; token < 4; token++) {
                session.run(new Batch().add(5, 0, true));
            }
            for (int token = 4; token < 24; token++) {
                relay.takeRequests();
                session.run(new Batch().add(5, 0, true));
                List<Command> asked = relay.takeRequests();
                assertThat(asked).endsWith(Command.GRAPH_RECOMPUTE, Command.GET_TENSOR);
                assertThat(asked.subList(0, asked.size() - 2)).containsOnly(Command.SET_TENSOR);
                assertThat(asked.stream().filter(command -> command.isAnswered(Dialect.DEFAULT)))
                        .as("requests that are waited for")
                        .hasSize(1);
            }
        }
    }

    private ModelOptions options(RpcProvider provider) {
        List<Device> devices = new ArrayList<>(provider.devices());
        devices.add(registry.device("cpu"));
        return ModelOptions.defaults().withContext(64).withBatch(16).withDevices(devices);
    }
}
