package dev.stowage.rpc.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.rpc.client.FakeServer.Script;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.Watch;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which servers are understood, and what is said of the others. */
class GreetingTest {

    private static Connection greet(SocketChannel channel) throws IOException {
        return Connection.over(channel, new Endpoint("there", 1), RpcClientOptions.defaults(), Watch.SYSTEM);
    }

    private static Connection greet(FakeServer server, int major, int minor, int patch) throws IOException {
        byte[] answer = new byte[28];
        answer[0] = (byte) major;
        answer[1] = (byte) minor;
        answer[2] = (byte) patch;
        return greet(server.connect(Script.answering(Command.HELLO, answer, Dialect.DEFAULT)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.0.0", "4.0.1", "4.0.2", "4.0.3", "5.0.0", "5.1.0", "6.0.0", "7.0.0"})
    void theVersionOfTheServerIsSpoken(String version) throws Exception {
        String[] parts = version.split("\\.", -1);
        try (FakeServer server = new FakeServer();
                Connection connection = greet(
                        server, Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]))) {
            assertThat(connection.dialect()).hasToString(version);
        }
    }

    @ParameterizedTest
    @CsvSource({"3, 6, 1", "4, 0, 9", "5, 2, 0", "7, 1, 0", "8, 0, 0", "255, 255, 255"})
    void aVersionThatIsNotKnownIsRefusedWithThoseThatAre(int major, int minor, int patch) throws Exception {
        try (FakeServer server = new FakeServer()) {
            assertThatThrownBy(() -> greet(server, major, minor, patch))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("version " + major + "." + minor + "." + patch)
                    .hasMessageContaining("4.0.0")
                    .hasMessageContaining("7.0.0");
        }
    }

    /** Servers before 4.0 know a greeting without capabilities only, and end the connection at a longer one. */
    @Test
    void aServerThatEndsTheConnectionIsTakenForAnOldOne(@TempDir Path folder) throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("s"));
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(address);
            Thread old = Thread.ofPlatform().start(() -> refuse(listener));
            SocketChannel channel = SocketChannel.open(address);
            assertThatThrownBy(() -> greet(channel))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("older than version 4.0")
                    .hasMessageContaining("update it");
            assertThat(channel.isOpen()).isFalse();
            old.join();
        }
    }

    private static void refuse(ServerSocketChannel listener) {
        try (SocketChannel client = listener.accept()) {
            ByteBuffer greeting = ByteBuffer.allocate(Command.HEADER_BYTES + 24);
            while (greeting.hasRemaining() && client.read(greeting) >= 0) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
