package dev.stowage.rpc.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.DeviceRegistry;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.Op;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The published advisories against ggml's rpc server, and their like: each ends the connection, and nothing else. */
class AdvisoriesTest {

    private static final int COUNT = 16;
    private static final int BYTES = COUNT * Float.BYTES;

    private final DeviceRegistry registry = DeviceRegistry.load();
    private RpcServer server;
    private RawClient client;
    private long buffer;
    private long base;

    @BeforeEach
    void connect() throws IOException {
        server = RpcServer.start(
                RpcServerOptions.of(List.of(registry.device("reference"))).withPort(0));
        client = RawClient.greeted(server.address());
        buffer = client.allocate(2 * BYTES);
        base = client.base(buffer);
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
        registry.close();
    }

    /** The client is refused; another one is served as before. */
    private void assertRefused() throws IOException {
        assertThatThrownBy(() -> client.ask(Command.DEVICE_COUNT, 0, _ -> {})).isInstanceOf(IOException.class);
        try (RawClient other = RawClient.greeted(server.address())) {
            assertThat(other.ask(Command.DEVICE_COUNT, 0, _ -> {}).getInt(0)).isEqualTo(1);
        }
    }

    private WireTensor vector(ByteBuffer message, int at, long address) {
        WireTensor tensor = new WireTensor(message, at);
        RawClient.floats(tensor, 1, COUNT, buffer, address);
        return tensor;
    }

    @Test
    void aTypeThatDoesNotExistIsRefused_CVE_2024_42477() throws IOException {
        client.send(Command.GET_TENSOR, 312, out -> {
            vector(out, 0, base).type(0x7fff_ffff);
            out.putLong(WireTensor.BYTES + 8, BYTES);
        });
        assertRefused();
    }

    @Test
    void readingAnAddressOutsideTheBufferIsRefused_CVE_2024_42478() throws IOException {
        client.send(Command.GET_TENSOR, 312, out -> {
            vector(out, 0, 0x1000);
            out.putLong(WireTensor.BYTES + 8, BYTES);
        });
        assertRefused();
    }

    @Test
    void readingBeyondATensorIsRefused_CVE_2024_42478() throws IOException {
        client.send(Command.GET_TENSOR, 312, out -> {
            vector(out, 0, base);
            out.putLong(WireTensor.BYTES, 4L * BYTES);
            out.putLong(WireTensor.BYTES + 8, BYTES);
        });
        assertRefused();
    }

    @Test
    void writingAnAddressOutsideTheBufferIsRefused_CVE_2024_42479() throws IOException {
        client.send(Command.SET_TENSOR, WireTensor.BYTES + 8 + BYTES, out -> vector(out, 0, base - 4096));
        assertRefused();
    }

    @Test
    void aNodeWithoutABufferHasNoMemory_CVE_2026_34159() throws IOException {
        sendSum(0, 0x1000);
        assertRefused();
    }

    @Test
    void copyingBeyondABufferIsRefused() throws IOException {
        client.send(Command.COPY_TENSOR, 2 * WireTensor.BYTES, out -> {
            vector(out, 0, base);
            vector(out, WireTensor.BYTES, base + 2 * BYTES - 4);
        });
        assertRefused();
    }

    @Test
    void runningAGraphAgainAfterItsMemoryWasFreedIsRefused() throws IOException {
        sendSum(buffer, base);
        client.ask(Command.FREE_BUFFER, 8, out -> out.putLong(buffer));
        client.send(Command.GRAPH_RECOMPUTE, 4, _ -> {});
        assertRefused();
    }

    @Test
    void stridesOfZeroDoNotStandForMoreElementsThanTheBufferHas() throws IOException {
        client.send(Command.GRAPH_COMPUTE, 12 + 8 + 2 * WireTensor.BYTES, out -> {
            out.putInt(4, 1).putLong(8, 2).putInt(16, 2);
            WireTensor operand = vector(out, 20, base);
            operand.ne(1, 1 << 30);
            operand.nb(1, 0);
            WireTensor result = vector(out, 20 + WireTensor.BYTES, base + BYTES);
            result.id(2);
            result.op(Dialect.DEFAULT.number(Op.SUM));
            result.ne(0, 1);
            result.src(0, 1);
            result.flags(WireTensor.COMPUTE);
        });
        assertRefused();
    }

    /** Adds a vector to itself, with the result in a buffer at an address. */
    private void sendSum(long resultBuffer, long address) throws IOException {
        client.send(Command.GRAPH_COMPUTE, 12 + 8 + 2 * WireTensor.BYTES, out -> {
            out.putInt(4, 1).putLong(8, 2).putInt(16, 2);
            vector(out, 20, base);
            WireTensor result = new WireTensor(out, 20 + WireTensor.BYTES);
            RawClient.floats(result, 2, COUNT, resultBuffer, address);
            result.op(Dialect.DEFAULT.number(Op.ADD));
            result.src(0, 1);
            result.src(1, 1);
            result.flags(WireTensor.COMPUTE);
        });
    }
}
