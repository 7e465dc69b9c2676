package dev.stowage.rpc.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.rpc.client.FakeServer.Fault;
import dev.stowage.rpc.client.FakeServer.Script;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Servers whose replies are cut off, come in pieces, have wrong lengths or any bytes, or do not come. The device is lost with
 * a message that says why, nothing stays open or waits, and the server that is connected to again has a device that works.
 */
class HostileServerTest {

    private static final long SEED = 20261118;
    private static final int CASES = 10_000;

    private static final Endpoint ENDPOINT = new Endpoint("fake", 1);

    /** The clock is the server's own: it lets time pass while it is silent, and at no other time. */
    private final ManualWatch watch = new ManualWatch();

    private final EveryRequest use = new EveryRequest();
    private FakeServer server;
    private @Nullable SocketChannel channel;

    /** What became of a conversation. */
    private enum Ending {
        DONE,
        REFUSED,
        LOST
    }

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer(() -> watch.pass(Duration.ofMinutes(1)));
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({
        "CUT, the connection was closed with \\d+ bytes of a message still to come",
        "LENGTH, (it has \\d+ bytes where \\d+ were expected|it greets with \\d+ bytes)",
        "SILENCE, (no progress within \\d+ ms|it does not answer)"
    })
    void aReplyThatDoesNotComeAsItMustLosesTheDevice(Fault fault, String message) throws IOException {
        SplittableRandom random = new SplittableRandom(SEED + fault.name().hashCode());
        int[] replies = countReplies();
        for (int i = 0; i < CASES; i++) {
            Script script = script(fault, replies, random);
            assertThat(converse(script, message)).as("%s", script).isEqualTo(Ending.LOST);
        }
    }

    /** Some bytes are as good as any, such as those of a tensor. */
    @ParameterizedTest
    @EnumSource(names = {"GARBAGE", "BIT"})
    void aReplyThatCannotBeRightLosesTheDevice(Fault fault) throws IOException {
        SplittableRandom random = new SplittableRandom(SEED + fault.name().hashCode());
        int[] replies = countReplies();
        int lost = 0;
        for (int i = 0; i < CASES; i++) {
            Script script = script(fault, replies, random);
            Ending ending = converse(script, "(it answers [A-Z_]+ with|it speaks|it greets|it has \\d+ bytes)");
            lost += ending == Ending.LOST ? 1 : 0;
        }
        assertThat(lost).isGreaterThan(CASES / 3);
    }

    @Test
    void aReplyInPiecesIsAsGoodAsAWholeOne() throws IOException {
        SplittableRandom random = new SplittableRandom(SEED);
        int[] replies = countReplies();
        for (int i = 0; i < CASES; i++) {
            Script script = script(Fault.PIECES, replies, random);
            assertThat(converse(script, "")).as("%s", script).isEqualTo(Ending.DONE);
        }
    }

    /** Or there would be replies whose faults nobody has seen. */
    @Test
    void aConversationHasEveryCommand() throws IOException {
        Set<Command> seen = EnumSet.noneOf(Command.class);
        server.observe((command, _) -> seen.add(command));
        for (Dialect dialect : Dialect.ALL) {
            assertThat(converse(faultless(dialect), "")).isEqualTo(Ending.DONE);
        }
        assertThat(seen).containsExactlyInAnyOrder(Command.values());
    }

    private static Script faultless(Dialect dialect) {
        return new Script(Fault.PIECES, Integer.MAX_VALUE, 0, dialect);
    }

    /** By dialect, the replies of a conversation without a fault. */
    private int[] countReplies() throws IOException {
        int[] replies = new int[Dialect.ALL.size()];
        for (int i = 0; i < replies.length; i++) {
            assertThat(converse(faultless(Dialect.ALL.get(i)), "")).isEqualTo(Ending.DONE);
            replies[i] = server.answered();
        }
        return replies;
    }

    private static Script script(Fault fault, int[] replies, SplittableRandom random) {
        int dialect = random.nextInt(replies.length);
        return new Script(fault, random.nextInt(replies[dialect]), random.nextLong(), Dialect.ALL.get(dialect));
    }

    private Connection connect(Script script, Endpoint endpoint, RpcClientOptions options) throws IOException {
        SocketChannel opened = server.connect(script);
        channel = opened;
        return Connection.over(opened, endpoint, options, watch);
    }

    private Ending converse(Script script, String message) throws IOException {
        Script[] next = {script};
        RemoteServer remote = new RemoteServer(
                0, ENDPOINT, RpcClientOptions.defaults(), (endpoint, options) -> connect(next[0], endpoint, options));
        remote.connect();
        Ending ending;
        try {
            if (remote.devices().isEmpty()) {
                assertThat(remote.problem())
                        .startsWith("the server fake:1 cannot be used: ")
                        .containsPattern(message);
                ending = Ending.LOST;
            } else {
                ending = use(remote.devices().getFirst(), script, message);
            }
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("in " + script, e);
        }
        if (ending == Ending.LOST) {
            verifyNothingIsOpen(script);
            next[0] = faultless(script.dialect());
            remote.connect();
            verifyFresh(remote);
        }
        remote.release();
        verifyNothingIsOpen(next[0]);
        return ending;
    }

    private Ending use(RpcDevice device, Script script, String message) {
        try {
            byte[] read = use.on(device);
            if (script.fault() == Fault.PIECES) {
                assertThat(read).containsOnly(FakeReplies.CONTENT);
            }
            return Ending.DONE;
        } catch (AllocationException | AccessException e) {
            // There may be no memory left, and tensors may take more than they have bytes.
            assertThat(device.lossCause()).isEmpty();
            return Ending.REFUSED;
        } catch (DeviceLostException e) {
            assertThat(e).hasMessageContaining("fake:1").message().containsPattern(message);
            assertThat(e.getSuppressed()).isEmpty();
            assertThat(device.lossCause()).isPresent();
            assertThatThrownBy(device::memory)
                    .isInstanceOf(DeviceLostException.class)
                    .hasMessageContaining("the server fake:1 is gone");
            return Ending.LOST;
        }
    }

    /** The server sees the end only when the client has closed its socket, and a limit is looked at until then. */
    private void verifyNothingIsOpen(Script script) {
        assertThat(Objects.requireNonNull(channel).isOpen()).as("%s", script).isFalse();
        assertThat(watch.looking()).as("%s", script).isZero();
        assertThat(server.awaitEnd()).as("%s", script).isEqualTo(script.at() != Integer.MAX_VALUE);
    }

    private static void verifyFresh(RemoteServer remote) {
        assertThat(remote.problem()).isEmpty();
        RpcDevice fresh = remote.devices().getFirst();
        assertThat(fresh.lossCause()).isEmpty();
        fresh.bufferType().allocate(64).close();
        assertThat(fresh.memory().total()).isEqualTo(1 << 30);
    }
}
