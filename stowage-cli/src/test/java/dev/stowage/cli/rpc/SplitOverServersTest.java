package dev.stowage.cli.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.llm.Batch;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.Session;
import dev.stowage.rpc.client.Endpoint;
import dev.stowage.rpc.client.RpcProvider;
import dev.stowage.rpc.server.RpcServer;
import dev.stowage.rpc.server.RpcServerOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A model whose layers are on two servers of our own. */
class SplitOverServersTest {

    private static final String MODELS = "../stowage-llm/src/test/resources/dev/stowage/llm/";

    private final DeviceRegistry registry = DeviceRegistry.load();
    private RpcServer first;
    private RpcServer second;

    @BeforeEach
    void start() throws IOException {
        first = server();
        second = server();
    }

    private RpcServer server() throws IOException {
        return RpcServer.start(
                RpcServerOptions.of(List.of(registry.device("cpu"))).withPort(0));
    }

    @AfterEach
    void stop() {
        System.clearProperty(RpcProvider.SERVERS_PROPERTY);
        first.close();
        second.close();
        registry.close();
    }

    private static String endpoint(RpcServer server) {
        return "127.0.0.1:" + server.address().getPort();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tiny-qwen3", "tiny-llama-moe-Q4_0", "tiny-qwen2-tied-Q8_0"})
    void computesAsRecorded(String model) {
        requireAsRecorded(MODELS + "random/" + model + ".gguf", MODELS + "random/golden.json.gz", "1,1");
    }

    @ParameterizedTest
    @CsvSource({
        MODELS + "tiny-qwen2.gguf, '2,1'",
        MODELS + "tiny-llama-moe.gguf, '2,1'",
        "../stowage-gguf/src/test/resources/lexicon-5m-f16.gguf, '3,3'",
        "src/main/resources/dev/stowage/cli/option/lexicon-5m-Q8_0.gguf, '3,3'"
    })
    void theModelsOfTheProjectComputeAsRecorded(String file, String layersOn) {
        requireAsRecorded(file, MODELS + "golden.json.gz", layersOn);
    }

    private void requireAsRecorded(String file, String golden, String layersOn) {
        CommandRun run = CommandRun.of(
                "conformance",
                "model",
                file,
                golden,
                "--device",
                "rpc:" + endpoint(first) + ",rpc:" + endpoint(second) + ",cpu",
                "--layers-on",
                layersOn);

        assertThat(run.out()).as(run.err()).endsWith(" passed, 0 failed\n");
        assertThat(run.exitCode()).isZero();
    }

    /** Until the first run: then a server also counts the graphs that it was sent. */
    @ParameterizedTest
    @CsvSource({
        "tiny-qwen3, '1,1'",
        "tiny-llama-moe-Q4_0, '1,1'",
        "tiny-llama-Q6_K, '2,1'",
        "tiny-qwen2-tied-Q8_0, '1,2'"
    })
    void eachServerHasInUseWhatWasPlannedToTheByte(String model, String layersOn) {
        Path file = Path.of(MODELS + "random/" + model + ".gguf");
        String servers = endpoint(first) + "," + endpoint(second);
        CommandRun plan = plan(file, layersOn, "--rpc", servers);
        assertThat(plan.err()).isEmpty();
        CommandRun named =
                plan(file, layersOn, "--devices", "rpc:" + endpoint(first) + ",rpc:" + endpoint(second) + ",cpu");
        assertThat(named.err()).isEmpty();
        List<JsonCursor> planned = plan.json().get("devices").elements();

        try (RpcProvider provider = new RpcProvider(Endpoint.parseAll(servers));
                LanguageModel loaded = LanguageModel.open(file, options(provider, layersOn), LoadListener.NONE);
                Session session = loaded.newSession()) {
            assertThat(totals(named))
                    .startsWith(totals(plan).get(0), totals(plan).get(1));
            long ofFirst = planned.get(0).get("total_bytes").asLong();
            long ofSecond = planned.get(1).get("total_bytes").asLong();
            assertThat(first.memoryInUse()).isEqualTo(ofFirst).isPositive();
            assertThat(second.memoryInUse()).isEqualTo(ofSecond).isPositive();
            session.run(new Batch().add(5, 0, true));
            assertThat(first.memoryInUse()).isGreaterThan(ofFirst);
            assertThat(second.memoryInUse()).isGreaterThan(ofSecond);
        }
    }

    private static CommandRun plan(Path file, String layersOn, String option, String devices) {
        return CommandRun.of(
                "plan",
                file.toString(),
                "--json",
                "--ctx",
                "64",
                "--batch",
                "16",
                "--layers-on",
                layersOn,
                option,
                devices);
    }

    private static List<Long> totals(CommandRun plan) {
        return plan.json().get("devices").elements().stream()
                .map(device -> device.get("total_bytes").asLong())
                .toList();
    }

    @Test
    void aPlanForAServerThatIsNotThereSaysWhy() {
        String gone = endpoint(first);
        first.close();

        CommandRun plan = CommandRun.of("plan", MODELS + "random/tiny-qwen3.gguf", "--devices", "rpc:" + gone + ",cpu");

        assertThat(plan.exitCode()).isNotZero();
        assertThat(plan.err()).contains(gone, "nothing listens there");
    }

    private ModelOptions options(RpcProvider provider, String layersOn) {
        List<Device> devices = new ArrayList<>(provider.devices());
        devices.add(registry.device("cpu"));
        List<Integer> layers = new ArrayList<>();
        for (String count : layersOn.split(",", -1)) {
            layers.add(Integer.parseInt(count));
        }
        return ModelOptions.defaults()
                .withContext(64)
                .withBatch(16)
                .withDevices(devices)
                .withLayersOn(layers);
    }
}
