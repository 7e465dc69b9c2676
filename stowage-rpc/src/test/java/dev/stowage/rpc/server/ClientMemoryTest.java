package dev.stowage.rpc.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.error.AllocationException;
import dev.stowage.rpc.replay.HostileMessages;
import dev.stowage.rpc.wire.Command;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What one client may have of the memory of a server. */
class ClientMemoryTest {

    private static final byte[] HELLO = message(Command.HELLO, ByteBuffer.allocate(24));

    private static byte[] message(Command command, ByteBuffer payload) {
        byte[] bytes = new byte[Command.HEADER_BYTES + payload.capacity()];
        ByteBuffer.wrap(bytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) command.number())
                .putLong(payload.capacity())
                .put(payload.rewind());
        return bytes;
    }

    private static byte[] allocate(long size) {
        return message(
                Command.ALLOC_BUFFER,
                ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putLong(4, size));
    }

    /** Whether a client gets buffers of these sizes, one after the other, and keeps them. */
    private static List<Boolean> granted(ScriptedServer server, long... sizes) {
        byte[][] said = new byte[sizes.length + 1][];
        said[0] = HELLO;
        for (int i = 0; i < sizes.length; i++) {
            said[i + 1] = allocate(sizes[i]);
        }
        ByteBuffer replies = ByteBuffer.wrap(server.serve(said)).order(ByteOrder.LITTLE_ENDIAN);
        List<Boolean> granted = new ArrayList<>();
        int hello = 8 + 28;
        for (int i = 0; i < sizes.length; i++) {
            granted.add(replies.getLong(hello + 24 * i + 8) != 0);
        }
        return granted;
    }

    @Test
    void buffersCount() {
        try (ScriptedServer server = new ScriptedServer()) {
            server.limit(1000);
            assertThat(granted(server, 600, 401, 400, 1, 0)).containsExactly(true, false, true, false, true);
        }
    }

    /** The pages of host memory are touched when it is allocated; a process that touches more than there is ends. */
    @Test
    void noBufferIsLargerThanTheMemoryThatTheMachineHasLeft() {
        try (ScriptedServer server = new ScriptedServer(() -> 1000)) {
            assertThat(granted(server, 1001, 1000, Long.MAX_VALUE, -1)).containsExactly(false, true, false, false);
        }
    }

    @Test
    void aGraphRunsInExactlyTheMemoryThatIsCountedForItAndNotInLess() throws IOException {
        HostileMessages messages = HostileMessages.of("qwen2", 1);
        try (ScriptedServer server = new ScriptedServer()) {
            byte[] opening = messages.opening();
            messages.learn(server.serve(opening));
            byte[] graph = messages.graph();
            long needed = inUseAfter(server, opening, graph);
            long buffers = inUseAfter(server, opening);
            assertThat(needed)
                    .as("buffers, the graph and its scratch memory")
                    .isGreaterThan(buffers + 4L * graph.length);
            server.limit(needed);
            assertThat(inUseAfter(server, opening, graph)).isEqualTo(needed);
            server.limit(needed - 1);
            server.serve(opening, graph);
            assertThat(server.failure()).get().isInstanceOf(AllocationException.class);
        }
    }

    @Test
    void graphsThatAreKeptMakeRoomForAnother() throws IOException {
        HostileMessages messages = HostileMessages.of("qwen2", 1);
        try (ScriptedServer server = new ScriptedServer()) {
            byte[] opening = messages.opening();
            messages.learn(server.serve(opening));
            byte[][] said = {opening, messages.graph(), messages.graph(), messages.graph(), messages.graph()};
            long most = 0;
            for (int i = 1; i < said.length; i++) {
                most = Math.max(most, inUseAfter(server, opening, said[i]));
            }
            // A message is counted before its graph can take the place of another.
            server.limit(most + 4L * said[1].length);
            server.serve(said);
            assertThat(server.failure()).isEmpty();
        }
    }

    /** What a client has once it has said all that. */
    private static long inUseAfter(ScriptedServer server, byte[]... said) {
        long[] inUse = new long[1];
        Supplier<byte[]> script = ScriptedServer.script(said);
        server.serve(
                () -> {
                    inUse[0] = server.memoryInUse();
                    return script.get();
                },
                most -> most);
        assertThat(server.failure()).isEmpty();
        return inUse[0];
    }
}
