package dev.stowage.rpc.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.rpc.replay.HostileMessages;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections that end anywhere, stall anywhere, or carry garbage from anywhere on. */
class BrokenConnectionsTest {

    private static final int CONNECTIONS = 10_000;
    private static final int CONVERSATIONS = 32;
    private static final int MESSAGES = 4;

    /** What a client says, where its first part ends, and what it is answered. */
    private static final class Conversation {

        private final byte[] said;
        private final int opening;
        private final byte[] replies;

        Conversation(byte[] said, int opening, byte[] replies) {
            this.said = said;
            this.opening = opening;
            this.replies = replies;
        }
    }

    private final SplittableRandom random = new SplittableRandom(20261118);
    private final ScriptedServer server = new ScriptedServer();
    private final List<Conversation> conversations = new ArrayList<>();
    private long refusedBefore;

    @BeforeEach
    void converse() throws IOException {
        HostileMessages messages = HostileMessages.of("qwen2", random.nextLong());
        byte[] opening = messages.opening();
        messages.learn(server.serve(opening));
        while (conversations.size() < CONVERSATIONS) {
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            said.writeBytes(opening);
            for (int i = 0; i < MESSAGES; i++) {
                said.writeBytes(messages.valid());
            }
            byte[] bytes = said.toByteArray();
            byte[] replies = server.serve(bytes);
            // Not every order of messages is valid: a graph cannot run again before it has run.
            if (server.failure().isEmpty()) {
                conversations.add(new Conversation(bytes, opening.length, replies));
            }
        }
        refusedBefore = server.refused();
    }

    private long refused() {
        return server.refused() - refusedBefore;
    }

    @AfterEach
    void aClientIsServedAsBefore() {
        Conversation last = any();
        assertThat(server.serve(last.said)).isEqualTo(last.replies);
        server.close();
    }

    private Conversation any() {
        return conversations.get(random.nextInt(conversations.size()));
    }

    @Test
    void aConnectionThatIsCutAnywhereLeavesNothingBehind() {
        for (int i = 0; i < CONNECTIONS; i++) {
            Conversation conversation = any();
            int cut = random.nextInt(conversation.said.length);
            byte[] replies = server.serve(Arrays.copyOf(conversation.said, cut));
            assertThat(Arrays.mismatch(replies, conversation.replies))
                    .as("the first answer that differs, with the connection cut after %s bytes", cut)
                    .isIn(-1, replies.length);
        }
        assertThat(refused()).as("connections cut within a message").isPositive();
    }

    @Test
    void aConnectionThatStallsAnywhereStopsNoOther() {
        for (int i = 0; i < CONNECTIONS; i++) {
            Conversation stalling = any();
            Conversation other = any();
            byte[] greeting = Arrays.copyOf(other.said, other.opening);
            int[] transfers = {random.nextInt(1, 30)};
            IntUnaryOperator pieces = most -> {
                if (--transfers[0] == 0) {
                    byte[] replies = server.serve(greeting);
                    assertThat(Arrays.mismatch(replies, other.replies)).isIn(-1, replies.length);
                }
                return random.nextInt(1, 1 + (random.nextInt(4) == 0 ? Math.min(most, 16) : most));
            };
            assertThat(server.serve(ScriptedServer.script(stalling.said), pieces))
                    .isEqualTo(stalling.replies);
        }
        assertThat(refused()).isZero();
    }

    @Test
    void garbageEndsTheConnectionAndNothingElse() {
        for (int i = 0; i < CONNECTIONS; i++) {
            byte[] said = switch (i % 4) {
                case 0 -> garbage(new byte[random.nextInt(1, 1000)], 0);
                case 1 -> {
                    Conversation opened = any();
                    yield garbage(Arrays.copyOf(opened.said, opened.opening + random.nextInt(1, 1000)), opened.opening);
                }
                case 2 -> command(any());
                default -> {
                    Conversation whole = any();
                    yield garbage(whole.said.clone(), random.nextInt(whole.said.length));
                }
            };
            server.serve(said);
        }
        assertThat(refused()).isGreaterThan(CONNECTIONS / 2);
    }

    /** Random bytes from a place on. */
    private byte[] garbage(byte[] bytes, int from) {
        byte[] noise = new byte[bytes.length - from];
        random.nextBytes(noise);
        System.arraycopy(noise, 0, bytes, from, noise.length);
        return bytes;
    }

    /** A client that has buffers, a command that exists with a size that it may have, and garbage. */
    private byte[] command(Conversation opened) {
        int at = opened.opening;
        int size = random.nextInt(1, 1000);
        byte[] bytes = garbage(Arrays.copyOf(opened.said, at + 9 + size), at);
        bytes[at] = (byte) random.nextInt(20);
        Arrays.fill(bytes, at + 1, at + 9, (byte) 0);
        bytes[at + 1] = (byte) size;
        bytes[at + 2] = (byte) (size >> 8);
        return bytes;
    }
}
