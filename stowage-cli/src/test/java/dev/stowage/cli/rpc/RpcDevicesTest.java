package dev.stowage.cli.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.rpc.client.RpcProvider;
import dev.stowage.rpc.server.RpcServer;
import dev.stowage.rpc.server.RpcServerOptions;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands that use the devices of a server, which is one of our own. */
class RpcDevicesTest {

    private static final String MODELS = "../stowage-llm/src/test/resources/dev/stowage/llm/";

    private final DeviceRegistry registry = DeviceRegistry.load();
    private RpcServer server;

    @BeforeEach
    void start() throws IOException {
        server = RpcServer.start(
                RpcServerOptions.of(List.of(registry.device("cpu"))).withPort(0));
    }

    @AfterEach
    void stop() {
        System.clearProperty(RpcProvider.SERVERS_PROPERTY);
        server.close();
        registry.close();
    }

    private String endpoint() {
        return "127.0.0.1:" + server.address().getPort();
    }

    @Test
    void areListedBesideTheOthers() {
        CommandRun run = CommandRun.of("devices", "--rpc", endpoint());

        assertThat(run.exitCode()).isZero();
        assertThat(run.outLines())
                .anySatisfy(line -> assertThat(line).startsWith("rpc0.0 ").contains(endpoint(), "5.1.0"));
    }

    @Test
    void aServerThatIsNotThereIsNamedWithTheReason() {
        String gone = endpoint();
        server.close();

        CommandRun run = CommandRun.of("devices", "--rpc", gone);

        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains("not available: rpc: the server " + gone + " cannot be used: nothing listens there");
    }

    @ParameterizedTest
    @CsvSource({
        "random/tiny-qwen3, random/golden.json.gz",
        "random/tiny-llama-moe-Q4_0, random/golden.json.gz",
        "random/tiny-llama-Q6_K, random/golden.json.gz",
        "random/tiny-qwen2-tied-Q8_0, random/golden.json.gz"
    })
    void computeModelsAsRecorded(String model, String golden) {
        CommandRun run = CommandRun.of(
                "conformance",
                "model",
                MODELS + model + ".gguf",
                MODELS + golden,
                "--device",
                "rpc:" + endpoint() + ",cpu");

        assertThat(run.out()).as(run.err()).endsWith(" passed, 0 failed\n");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void recordedConversationsAreAnswered() {
        CommandRun run =
                CommandRun.of("conformance", "rpc", "../stowage-rpc/src/test/resources/dev/stowage/rpc/qwen2.bin.gz");

        assertThat(run.out()).matches("(?s)[1-9]\\d* passed, 0 failed\\R");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void aUseOfTheCacheThatIsNoneIsRefused() {
        CommandRun run = CommandRun.of("devices", "--rpc", endpoint(), "--rpc-cache", "sometimes");

        assertThat(run.exitCode()).isNotZero();
        assertThat(run.err()).contains("sometimes", "auto, always and never");
    }

    @Test
    void anAddressThatIsNoneIsRefused() {
        CommandRun run = CommandRun.of("devices", "--rpc", "host:port:port");

        assertThat(run.exitCode()).isNotZero();
        assertThat(run.err()).contains("host:port:port");
    }
}
