package dev.stowage.rpc.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.DeviceRegistry;
import dev.stowage.rpc.wire.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Clients that come and go, and clients that say nothing. */
class ManyConnectionsTest {

    private static final int CONNECTIONS = 1000;
    private static final int OPEN_AT_ONCE = 100;
    private static final long BUFFER_BYTES = 4096;

    @Test
    void aThousandClientsThatAreDroppedLeaveNothingBehind() throws Exception {
        SplittableRandom random = new SplittableRandom(20261118);
        try (DeviceRegistry registry = DeviceRegistry.load();
                RpcServer server = RpcServer.start(RpcServerOptions.of(List.of(registry.device("reference")))
                        .withPort(0))) {
            List<RawClient> open = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                open.add(client(server, random.nextInt(4)));
                if (open.size() == OPEN_AT_ONCE) {
                    try (RawClient another = RawClient.greeted(server.address())) {
                        assertThat(another.allocate(BUFFER_BYTES)).isPositive();
                    }
                    open.forEach(RawClient::close);
                    open.clear();
                }
            }
            while (server.clients() > 0) {
                Thread.onSpinWait();
            }
            assertThat(server.memoryInUse()).isZero();
        }
    }

    private static RawClient client(RpcServer server, int kind) throws Exception {
        if (kind == 0) {
            return new RawClient(server.address());
        }
        RawClient client = RawClient.greeted(server.address());
        switch (kind) {
            case 1 -> client.allocate(BUFFER_BYTES);
            case 2 -> client.send((byte) Command.SET_TENSOR.number(), (byte) 1);
            default -> client.send((byte) Command.GRAPH_COMPUTE.number());
        }
        return client;
    }
}
