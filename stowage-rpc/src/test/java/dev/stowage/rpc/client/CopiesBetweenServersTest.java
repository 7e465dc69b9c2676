package dev.stowage.rpc.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.rpc.client.FakeServer.Fault;
import dev.stowage.rpc.client.FakeServer.Script;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.Watch;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes from one server to another goes through this process, and the other one computes meanwhile. */
@Timeout(120)
class CopiesBetweenServersTest {

    private static final long SEED = 20261119;

    @ParameterizedTest
    @ValueSource(ints = {1, 4096, 200_000, 4 << 20, (9 << 20) + 5})
    void theBytesArrive(int bytes) throws Exception {
        byte[] content = new byte[bytes];
        new SplittableRandom(SEED).nextBytes(content);
        byte[] found = new byte[bytes];
        try (Loopback one = new Loopback("reference");
                Loopback other = new Loopback("reference");
                Backend producer = one.remote().open();
                Backend consumer = other.remote().open();
                Buffer source = one.remote().bufferType().allocate(bytes);
                Buffer target = other.remote().bufferType().allocate(bytes)) {
            Tensor tensor = Tensor.leaf(Layout.contiguous(ElementType.I8, bytes));
            BoundTensor to = BoundTensor.at(tensor, target, 0);
            producer.setAsync(BoundTensor.at(tensor, source, 0), 0, MemorySegment.ofArray(content));
            assertThat(other.remote().copiesAsyncFrom(one.remote())).isTrue();
            assertThat(consumer.copyAsync(producer, BoundTensor.at(tensor, source, 0), to))
                    .isTrue();
            consumer.getAsync(to, 0, MemorySegment.ofArray(found));
            consumer.synchronize();
        }
        assertThat(found).isEqualTo(content);
    }

    @Test
    void whatLiesBetweenRowsOfTheTargetStays() throws Exception {
        Layout rows = Layout.strided(ElementType.I8, new Shape(4, 2, 1, 1), new Strides(1, 8, 16, 16));
        try (Loopback one = new Loopback("reference");
                Loopback other = new Loopback("reference");
                Backend producer = one.remote().open();
                Backend consumer = other.remote().open();
                Buffer source = one.remote().bufferType().allocate(16);
                Buffer target = other.remote().bufferType().allocate(16)) {
            source.clear((byte) 1);
            target.clear((byte) 2);
            BoundTensor to = BoundTensor.at(Tensor.leaf(rows), target, 0);
            assertThat(consumer.tryCopyAsync(producer, BoundTensor.at(Tensor.leaf(rows), source, 0), to))
                    .isFalse();
        }
    }

    /** The server that is copied to is at earlier work all the time. */
    @Test
    void theTargetIsNotWaitedFor() throws Exception {
        CountDownLatch copied = new CountDownLatch(1);
        try (FakeServer from = new FakeServer();
                FakeServer busy = new FakeServer();
                Connection toSource = connect(from, "source");
                Connection toBusy = connect(busy, "busy")) {
            RpcDevice one =
                    RemoteServer.find(toSource, 0, RpcClientOptions.defaults()).getFirst();
            RpcDevice other =
                    RemoteServer.find(toBusy, 1, RpcClientOptions.defaults()).getFirst();
            Tensor tensor = Tensor.leaf(Layout.contiguous(ElementType.I8, 4096));
            try (Backend producer = one.open();
                    Backend consumer = other.open();
                    Buffer source = one.bufferType().allocate(4096);
                    Buffer target = other.bufferType().allocate(4096)) {
                busy.observe((command, _) -> {
                    if (command == Command.MEMSET_TENSOR) {
                        await(copied);
                    }
                });
                BoundTensor to = BoundTensor.at(tensor, target, 0);
                to.memset(0, 16, (byte) 1);
                toBusy.flushNow();
                assertThat(consumer.copyAsync(producer, BoundTensor.at(tensor, source, 0), to))
                        .isTrue();
                copied.countDown();
                consumer.synchronize();
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Connection connect(FakeServer server, String name) throws IOException {
        return Connection.over(
                server.connect(new Script(Fault.PIECES, Integer.MAX_VALUE, 0, Dialect.DEFAULT)),
                new Endpoint(name, 1),
                RpcClientOptions.defaults(),
                Watch.SYSTEM);
    }
}
