package dev.stowage.rpc.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AllocationException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.rpc.client.FakeServer.Script;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.Watch;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers that cannot be right lose the server, with a message that names it, the command and the answer. */
class NonsenseTest {

    private static final Endpoint ENDPOINT = new Endpoint("fake", 1);

    private final Tensor quantised = Tensor.leaf(Layout.contiguous(ElementType.Q8_0, 32, 4));
    private FakeServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private Connection connect(Command command, byte[] answer) throws IOException {
        return Connection.over(
                server.connect(Script.answering(command, answer, Dialect.DEFAULT)),
                ENDPOINT,
                RpcClientOptions.defaults(),
                Watch.SYSTEM);
    }

    /** The numbers are written in hexadecimal, one after the other, each with the bytes that its digits have. */
    private static byte[] bytes(String numbers) {
        ByteBuffer out = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        for (String number : numbers.split(" ", -1)) {
            long value = Long.parseUnsignedLong(number, 16);
            switch (number.length()) {
                case 2 -> out.put((byte) value);
                case 8 -> out.putInt((int) value);
                default -> out.putLong(value);
            }
        }
        byte[] all = new byte[out.position()];
        out.get(0, all);
        return all;
    }

    @ParameterizedTest
    @CsvSource({
        "DEVICE_COUNT, 00000000, '0 devices, which is not between 1 and 1024'",
        "DEVICE_COUNT, 00000401, '1025 devices'",
        "DEVICE_COUNT, ffffffff, '4294967295 devices'",
        "GET_ALIGNMENT, 0000000000000000, '0, which is not a power of two'",
        "GET_ALIGNMENT, 0000000000000060, '96, which is not a power of two'",
        "GET_ALIGNMENT, 8000000000000000, '9223372036854775808, which is not a power of two'",
        "GET_ALIGNMENT, 0000000080000000, '2147483648, which is not a power of two up to 1073741824'",
        "GET_MAX_SIZE, 0000000000000000, '0, so that it has room for nothing'",
        "GET_DEVICE_MEMORY, 0000000000000002 0000000000000001, '2 bytes free of 1'",
        "GET_DEVICE_MEMORY, 0000000000000000 ffffffffffffffff, '0 bytes free of 18446744073709551615'",
        "GET_DEVICE_MEMORY, 8000000000000000 0000000000000001, '9223372036854775808 bytes free of 1'",
        "ALLOC_BUFFER, 0000000000000001 00000000000007ff, 'a buffer of 2047 bytes where 2048 were asked for'",
        "ALLOC_BUFFER, 0000000000000001 ffffffffffffffff, 'a buffer of 18446744073709551615 bytes'",
        "ALLOC_BUFFER, 0000000000000001 0000000000000800, 'buffer 1, which is in use already'",
        "BUFFER_GET_BASE, 0000000000000000, 'address 0 for 2048 bytes that are aligned to 64'",
        "BUFFER_GET_BASE, 0000000000001001, 'address 1001 for 2048 bytes'",
        "BUFFER_GET_BASE, ffffffffffffffc0, 'address ffffffffffffffc0 for 2048 bytes'",
        "GET_ALLOC_SIZE, 0000000000000087, '135 bytes for'",
        "GET_ALLOC_SIZE, 0000100000000089, '17592186044553 bytes for'",
        "GET_ALLOC_SIZE, ffffffffffffffff, '18446744073709551615 bytes for'",
        "COPY_TENSOR, 02, '2, which is neither 0 nor 1'",
        "SET_TENSOR_HASH, ff, '255, which is neither 0 nor 1'",
        "GET_TENSOR, 00, 'it has 1 bytes where 64 were expected'",
        "BUFFER_CLEAR, 00, 'it has 1 bytes where 0 were expected'",
        "INIT_TENSOR, 00, 'it has 1 bytes where 0 were expected'",
        "MEMSET_TENSOR, 00, 'it has 1 bytes where 0 were expected'",
        "FREE_BUFFER, 00, 'it has 1 bytes where 0 were expected'",
    })
    void losesTheServer(Command command, String answer, String message) throws IOException {
        try (Connection connection = connect(command, bytes(answer))) {
            assertThatThrownBy(() -> useAll(connection))
                    .isInstanceOf(DeviceLostException.class)
                    .hasMessageContaining("rpc fake:1")
                    .hasMessageContaining(command.name())
                    .hasMessageContaining(message);
            assertThat(connection.health().lossCause()).isPresent();
            assertThatThrownBy(() -> connection.inquiries().memory(0))
                    .isInstanceOf(DeviceLostException.class)
                    .hasMessageContaining("fake:1 is gone")
                    .hasMessageContaining(message);
        }
    }

    private void useAll(Connection connection) {
        RpcDevice device =
                RemoteServer.find(connection, 0, RpcClientOptions.defaults()).getFirst();
        device.memory();
        device.bufferType().allocationSize(quantised);
        device.bufferType().allocate(2048).close();
        connection.settle();
        try (Buffer buffer = device.bufferType().allocate(2048);
                Buffer another = device.bufferType().allocate(2048)) {
            buffer.clear((byte) 1);
            buffer.initialize(quantised, 0);
            BoundTensor from = BoundTensor.at(Tensor.leaf(Layout.contiguous(ElementType.F32, 16)), buffer, 0);
            BoundTensor to = BoundTensor.at(Tensor.leaf(Layout.contiguous(ElementType.F32, 16)), another, 1024);
            from.memset(4, 8, (byte) 1);
            connection.keptWeights().ask(from, 0, 1);
            ((RpcBuffer) another).copyThere(from, to);
            to.get(0, MemorySegment.ofArray(new float[16]));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "03 05 00, 'it speaks version 3.5.0 of the protocol, which is not known'",
        "ff ff ff, 'it speaks version 255.255.255'"
    })
    void aVersionThatIsNotKnownIsNotSpokenTo(String version, String message) {
        byte[] answer = java.util.Arrays.copyOf(bytes(version), 28);
        assertThatThrownBy(() -> connect(Command.HELLO, answer))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aGreetingOfAnotherLengthIsNoGreeting() {
        assertThatThrownBy(() -> connect(Command.HELLO, new byte[3]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("it greets with 3 bytes");
    }

    @Test
    void nothingAtAllFreeIsWhatABackendSaysThatHasLentMoreThanItHas() throws IOException {
        try (Connection connection = connect(Command.GET_DEVICE_MEMORY, bytes("fffffffffffffff0 0000000000001000"))) {
            assertThat(connection.inquiries().memory(0).free()).isZero();
            assertThat(connection.inquiries().memory(0).total()).isEqualTo(4096);
        }
    }

    @Test
    void aRefusalIsNoNonsense() throws IOException {
        try (Connection connection = connect(Command.ALLOC_BUFFER, bytes("0000000000000000 0000000000000000"))) {
            RpcDevice device = RemoteServer.find(connection, 0, RpcClientOptions.defaults())
                    .getFirst();
            assertThatThrownBy(() -> device.bufferType().allocate(2048))
                    .isInstanceOf(AllocationException.class)
                    .hasMessageContaining("2048 bytes on rpc0.0 (fake:1)");
            assertThat(device.lossCause()).isEmpty();
        }
    }
}
