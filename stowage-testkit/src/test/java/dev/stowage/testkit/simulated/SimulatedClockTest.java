package dev.stowage.testkit.simulated;

import static dev.stowage.testkit.simulated.Parts.bytes;
import static dev.stowage.testkit.simulated.Parts.floats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.Backend;
import dev.stowage.device.Event;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Simulated time: a link of 100 ns and 1 byte per nanosecond, nodes of 1000 ns, a second device that is slower. */
@Timeout(120)
class SimulatedClockTest {

    private static final double BYTE_PER_NANO = 1e9;

    private final SimulatedClock clock = new SimulatedClock();
    private final Costs costs = Costs.free().withLink(100, BYTE_PER_NANO).withCompute(_ -> 1000);
    private final SimulatedDevice device =
            SimulatedDevice.named("gpu0").clock(clock).costs(costs).build();
    private final SimulatedDevice slower = SimulatedDevice.named("gpu1")
            .clock(clock)
            .costs(costs.withLink(500, BYTE_PER_NANO))
            .build();

    private final GraphBuilder builder = new GraphBuilder();
    private final Tensor x = builder.input("x", ElementType.F32, 16);
    private final Graph graph = builder.build(builder.sqr(builder.scale(x, 2)));
    private final Buffer buffer = Allocations.allocateAll(builder, device.bufferType());
    private final Tensor copy = floats("copy", 16);
    private final Buffer otherBuffer = Allocations.allocateAll(List.of(copy), slower.bufferType());
    private final Backend first = device.open();
    private final Backend second = device.open();
    private final Backend third = slower.open();

    @AfterEach
    void close() {
        first.close();
        second.close();
        third.close();
        buffer.close();
        otherBuffer.close();
    }

    @Test
    void blockingTransfersTakeTheTimeOfTheLink() {
        TensorData.setFloats(x, new float[16]);

        assertThat(clock.nanos()).isEqualTo(100 + 64);
    }

    @Test
    void workInAStreamTakesNoTimeOfTheCallerUntilItWaits() {
        first.computeAsync(BoundGraph.of(graph));
        first.setAsync(BoundTensor.of(x), 0, bytes(new float[16]));
        assertThat(clock.nanos()).isZero();

        first.synchronize();

        assertThat(clock.nanos()).isEqualTo(2 * 1000 + 100 + 64);
    }

    @Test
    void twoStreamsWorkAtTheSameTime() {
        first.computeAsync(BoundGraph.of(graph));
        second.computeAsync(BoundGraph.of(graph));
        first.synchronize();
        second.synchronize();

        assertThat(clock.nanos()).isEqualTo(2 * 1000);
    }

    @Test
    void aStreamThatWaitsForAnEventBeginsWhenItIsReached() {
        try (Event event = device.createEvent()) {
            first.computeAsync(BoundGraph.of(graph));
            first.record(event);
            second.await(event);
            second.computeAsync(BoundGraph.of(graph));
            event.synchronize();
            assertThat(clock.nanos()).isEqualTo(2 * 1000);

            second.synchronize();
            assertThat(clock.nanos()).isEqualTo(4 * 1000);
        }
    }

    @Test
    void aCopyTakesTheTimeOfTheSlowerLinkAndOfBothStreams() {
        first.computeAsync(BoundGraph.of(graph));
        third.copyAsync(first, BoundTensor.of(x), BoundTensor.of(copy));
        first.computeAsync(BoundGraph.of(graph));

        third.synchronize();
        assertThat(clock.nanos()).isEqualTo(2 * 1000 + 500 + 64);
        first.synchronize();
        assertThat(clock.nanos()).isEqualTo(2 * 1000 + 500 + 64 + 2 * 1000);
    }

    @Test
    void workBeginsNoEarlierThanItWasSubmitted() {
        clock.delay(5000);
        first.compute(graph);

        assertThat(clock.nanos()).isEqualTo(5000 + 2 * 1000);
    }

    @Test
    void nothingTakesTimeUnlessItIsSaid() {
        assertThat(Costs.free().transferNanos(1L << 40)).isZero();
    }

    @Test
    void refusesLinksThatCarryNothing() {
        assertThatThrownBy(() -> Costs.free().withLink(0, 0)).isInstanceOf(DeviceException.class);
        assertThatThrownBy(() -> Costs.free().withLink(-1, 1)).isInstanceOf(DeviceException.class);
    }
}
