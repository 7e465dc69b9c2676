package dev.stowage.rpc.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.Backend;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.DeviceLostException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** How often a step waits for the server, and what becomes of one that is gone. */
class RoundTripsTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 8, 2);
    private final Tensor y = b.input("y", ElementType.F32, 8, 2);
    private final Tensor sum = b.add(x, y).asOutput();
    private final Tensor product = b.mul(sum, y).asOutput();

    @Test
    void aStepIsOneRoundTrip() throws Exception {
        try (Loopback loopback = new Loopback("reference");
                GraphAllocator allocator = GraphAllocator.on(loopback.remote().bufferType());
                Backend backend = loopback.remote().open()) {
            BoundGraph bound = allocator.bind(b.build(product));
            Connection connection = ((RpcDevice) loopback.remote()).connection();
            try (PreparedGraph prepared = backend.prepare(bound)) {
                for (int step = 0; step < 4; step++) {
                    float[] sums = new float[16];
                    float[] products = new float[16];
                    long before = connection.roundTrips();
                    backend.setAsync(bound.tensor(x), 0, filled(step));
                    backend.setAsync(bound.tensor(y), 0, filled(3));
                    prepared.computeAsync();
                    backend.getAsync(bound.tensor(sum), 0, MemorySegment.ofArray(sums));
                    backend.getAsync(bound.tensor(product), 0, MemorySegment.ofArray(products));
                    backend.synchronize();
                    assertThat(connection.roundTrips() - before).isEqualTo(1);
                    assertThat(sums).containsOnly(step + 3);
                    assertThat(products).containsOnly(3 * (step + 3));
                }
            }
        }
    }

    private static MemorySegment filled(float value) {
        float[] values = new float[16];
        Arrays.fill(values, value);
        return MemorySegment.ofArray(values);
    }

    @Test
    void aServerThatEndsLosesItsDevicesAndAnotherOneIsFound() throws Exception {
        try (Loopback loopback = new Loopback("reference")) {
            RpcDevice device = (RpcDevice) loopback.remote();
            try (Backend backend = device.open();
                    GraphAllocator allocator = GraphAllocator.on(device.bufferType())) {
                BoundGraph bound = allocator.bind(b.build(product));
                backend.setAsync(bound.tensor(x), 0, filled(1));
                backend.setAsync(bound.tensor(y), 0, filled(1));
                backend.compute(bound);
                loopback.server().close();
                float[] sums = new float[16];
                assertThatThrownBy(() -> bound.tensor(sum).get(0, MemorySegment.ofArray(sums)))
                        .isInstanceOf(DeviceLostException.class)
                        .hasMessageContaining("127.0.0.1");
                assertThat(device.lossCause()).isPresent();
                assertThatThrownBy(() -> backend.compute(bound)).isInstanceOf(DeviceLostException.class);
            }
            assertThat(loopback.provider().devices()).isEmpty();
            assertThat(loopback.provider().probe().reason()).contains("cannot be used");
        }
    }

    @Test
    void whatCannotBeSentIsRefusedBeforeItIsSent() throws Exception {
        try (Loopback loopback = new Loopback("reference");
                Backend backend = loopback.remote().open();
                GraphAllocator allocator = GraphAllocator.on(loopback.remote().bufferType())) {
            Tensor malformed = Tensor.builder(x.layout())
                    .op(Op.MUL_MAT, OpParameters.MulMat.DEFAULT)
                    .sources(x, y)
                    .build();
            BoundGraph bound = allocator.bind(b.build(malformed));
            assertThatThrownBy(() -> backend.compute(bound)).hasMessageContaining("MUL_MAT");
            assertThat(loopback.remote().lossCause()).isEmpty();
            backend.compute(allocator.bind(b.build(product)));
        }
    }

    @Test
    void aGraphThatFailsOnTheServerLosesTheDeviceAndTheNextConnectionWorks() throws Exception {
        try (Loopback loopback = new Loopback("reference")) {
            Tensor table = b.tensor(ElementType.F32, 8, 4);
            Tensor rows = b.input("rows", ElementType.I32, 1);
            Tensor taken = b.getRows(table, rows).asOutput();
            try (Backend backend = loopback.remote().open();
                    GraphAllocator allocator =
                            GraphAllocator.on(loopback.remote().bufferType())) {
                BoundGraph bound = allocator.bind(b.build(taken));
                backend.setAsync(bound.tensor(rows), 0, MemorySegment.ofArray(new int[] {4}));
                backend.computeAsync(bound);
                backend.getAsync(bound.tensor(taken), 0, MemorySegment.ofArray(new float[8]));
                assertThatThrownBy(backend::synchronize).isInstanceOf(DeviceLostException.class);
            }
            assertThat(loopback.remote().lossCause()).isEmpty();
            assertThat(loopback.remote().memory().total()).isPositive();
        }
    }
}
