package dev.stowage.rpc.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.DeviceRegistry;
import dev.stowage.rpc.replay.HostileClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a client can do that does not keep to the protocol. */
class HostileClientTest {

    private static final long MEMORY = 64 << 20;

    /** Mutated messages; {@code HostileClient} runs as many as one likes. */
    @Test
    void mutatedMessagesEndTheirConnectionAndHarmNoOther() throws Exception {
        try (DeviceRegistry registry = DeviceRegistry.load();
                RpcServer server = RpcServer.start(RpcServerOptions.of(List.of(registry.device("cpu")))
                        .withPort(0)
                        .withMemory(MEMORY)
                        .withTransferLimit(Duration.ofSeconds(2)))) {
            HostileClient client = HostileClient.of("qwen2", server.address(), 20261118);
            client.run(500);
            assertThat(client.executed())
                    .as("messages that were valid all the same")
                    .isPositive();
            assertThat(client.refused()).as("connections that ended").isPositive();
            assertThat(client.isServed()).isTrue();
            while (server.clients() > 0) {
                Thread.onSpinWait();
            }
            assertThat(server.memoryInUse()).isZero();
        }
    }
}
