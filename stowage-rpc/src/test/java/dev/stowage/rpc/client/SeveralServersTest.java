package dev.stowage.rpc.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.DeviceLostException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.rpc.client.FakeServer.Fault;
import dev.stowage.rpc.client.FakeServer.Script;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.Watch;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers have nothing to do with each other: one that takes its time, or is lost, does not hold up another. */
@Timeout(120)
class SeveralServersTest {

    /** More than a socket takes before it is read from. */
    private static final int BYTES = 8 << 20;

    private static Connection connect(FakeServer server, Script script, String name) throws IOException {
        return Connection.over(
                server.connect(script), new Endpoint(name, 1), RpcClientOptions.defaults(), Watch.SYSTEM);
    }

    private static Script faultless() {
        return new Script(Fault.PIECES, Integer.MAX_VALUE, 0, Dialect.DEFAULT);
    }

    /** Writes to the server and reads back, so that it has arrived. */
    private static void upload(Connection connection) {
        RpcDevice device =
                RemoteServer.find(connection, 0, RpcClientOptions.defaults()).getFirst();
        try (Buffer buffer = device.bufferType().allocate(BYTES)) {
            BoundTensor tensor = BoundTensor.at(Tensor.leaf(Layout.contiguous(ElementType.I8, BYTES)), buffer, 0);
            tensor.set(0, MemorySegment.ofArray(new byte[BYTES]));
            tensor.get(0, MemorySegment.ofArray(new byte[8]));
        }
    }

    @Test
    void anUploadGoesOnWhileAnotherServerDoesNotRead() throws Exception {
        CountDownLatch slowIsBusy = new CountDownLatch(1);
        CountDownLatch quickIsDone = new CountDownLatch(1);
        try (FakeServer slow = new FakeServer();
                FakeServer quick = new FakeServer();
                ExecutorService threads = Executors.newCachedThreadPool();
                Connection toSlow = connect(slow, faultless(), "slow");
                Connection toQuick = connect(quick, faultless(), "quick")) {
            slow.observe((command, _) -> {
                if (command == Command.ALLOC_BUFFER) {
                    slowIsBusy.countDown();
                    await(quickIsDone);
                }
            });
            Future<?> slowUpload = threads.submit(() -> upload(toSlow));
            await(slowIsBusy);
            upload(toQuick);
            assertThat(slowUpload.isDone()).isFalse();
            quickIsDone.countDown();
            slowUpload.get();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void oneThatIsLostLeavesTheOthersAsTheyAre() throws IOException {
        try (FakeServer bad = new FakeServer();
                FakeServer good = new FakeServer();
                Connection toBad = connect(bad, new Script(Fault.CUT, 8, 1, Dialect.DEFAULT), "bad");
                Connection toGood = connect(good, faultless(), "good")) {
            assertThatThrownBy(() -> upload(toBad))
                    .isInstanceOf(DeviceLostException.class)
                    .hasMessageContaining("bad:1");
            assertThat(toBad.health().lossCause()).isPresent();
            assertThat(toGood.health().lossCause()).isEmpty();
            upload(toGood);
        }
    }
}
