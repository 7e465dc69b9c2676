package dev.stowage.testkit.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.device.Event;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Asking an event never waits, and the time between two is that of the work between them. */
@Timeout(60)
class EventQueryTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 4);
    private final Tensor y = b.scale(x, 2).named("y").asOutput();

    @Test
    void anEventIsNotDoneWhileTheWorkBeforeItIsUnderWay() throws InterruptedException {
        Gate gate = new Gate("y");
        SimulatedDevice gpu = SimulatedDevice.named("gpu").delays(gate).build();
        BoundGraph graph;
        try (Buffer memory = Allocations.allocateAll(b.tensors(), gpu.bufferType());
                Backend backend = gpu.open();
                Event event = gpu.createEvent()) {
            memory.clear((byte) 0);
            graph = BoundGraph.of(b.build(y));
            backend.computeAsync(graph);
            backend.record(event);
            gate.awaitReached();

            assertThat(event.isDone()).isFalse();
            gate.open();
            event.synchronize();
            assertThat(event.isDone()).isTrue();
            backend.synchronize();
        }
    }

    @Test
    void theTimeBetweenTwoEventsIsThatOfTheWork() {
        SimulatedDevice gpu = SimulatedDevice.named("gpu")
                .costs(Costs.free().withCompute(_ -> 700))
                .build();
        try (Buffer memory = Allocations.allocateAll(b.tensors(), gpu.bufferType());
                Backend backend = gpu.open();
                Event start = gpu.createEvent();
                Event end = gpu.createEvent();
                Event foreign = SimulatedDevice.named("other").build().createEvent()) {
            memory.clear((byte) 0);
            assertThat(end.nanosSince(start)).isEmpty();
            backend.record(start);
            backend.computeAsync(BoundGraph.of(b.build(y)));
            backend.record(end);
            backend.synchronize();

            assertThat(end.nanosSince(start)).hasValue(700);
            assertThat(end.nanosSince(foreign)).isEmpty();
        }
    }
}
