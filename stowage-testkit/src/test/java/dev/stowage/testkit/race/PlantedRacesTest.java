package dev.stowage.testkit.race;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.device.Event;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A program by hand over two simulated devices, with something left out that it needs. */
class PlantedRacesTest {

    private static final int COUNT = 16;
    private static final long BYTES = COUNT * Float.BYTES;

    private final AccessLog log = new AccessLog();
    private final SimulatedDevice first =
            SimulatedDevice.named("first").alignment(16).accesses(log).build();
    private final SimulatedDevice second = SimulatedDevice.named("second")
            .sharing(first.bufferType())
            .accesses(log)
            .build();
    private final Backend one = first.open();
    private final Backend two = second.open();
    private final Event event = first.createEvent();
    private final Buffer memory = first.bufferType().allocate(4 * BYTES);

    private final GraphBuilder ops = new GraphBuilder();
    private final Tensor x = ops.input("x", ElementType.F32, COUNT);
    private final Tensor half = ops.scale(x, 0.5f).named("half");
    private final Tensor square = ops.sqr(half).named("square");
    private final Graph onFirst = Graph.listed(List.of(half), List.of(x));
    private final Graph onSecond = Graph.listed(List.of(square), List.of());

    @AfterEach
    void closeAll() {
        one.close();
        two.close();
        event.close();
        memory.close();
    }

    private void place(long xAt, long halfAt, long squareAt) {
        memory.place(x, xAt);
        memory.place(half, halfAt);
        memory.place(square, squareAt);
        TensorData.setFloats(x, new float[COUNT]);
    }

    @Test
    void aRunWithItsEventHasNone() {
        place(0, BYTES, 2 * BYTES);
        one.computeAsync(BoundGraph.of(onFirst));
        one.record(event);
        two.await(event);
        two.computeAsync(BoundGraph.of(onSecond));
        two.synchronize();
        TensorData.getFloats(square);
        assertThat(RaceDetector.races(log)).isEmpty();
    }

    @Test
    void anEventThatIsNotAwaitedIsFound() {
        place(0, BYTES, 2 * BYTES);
        one.computeAsync(BoundGraph.of(onFirst));
        one.record(event);
        two.computeAsync(BoundGraph.of(onSecond));
        assertThat(RaceDetector.races(log))
                .singleElement()
                .asString()
                .contains(
                        "same 64 bytes",
                        "first writes 'half' (bytes 64 to 127 of first)",
                        "second reads 'half'",
                        "compute 'square' (SQR f32[16])",
                        "missing: an event of first after entry");
    }

    @Test
    void anEventRecordedTooEarlyIsFound() {
        place(0, BYTES, 2 * BYTES);
        one.record(event);
        one.computeAsync(BoundGraph.of(onFirst));
        two.await(event);
        two.computeAsync(BoundGraph.of(onSecond));
        assertThat(RaceDetector.races(log)).hasSize(1);
    }

    @Test
    void twoStreamsInPlacesThatOverlapAreFound() {
        place(0, BYTES, 2 * BYTES);
        Tensor other = Tensor.leaf(x.layout()).named("other");
        memory.place(other, BYTES + BYTES / 2);
        one.computeAsync(BoundGraph.of(onFirst));
        two.setAsync(BoundTensor.of(other), 0, MemorySegment.ofArray(new float[COUNT]));
        assertThat(RaceDetector.races(log)).singleElement().satisfies(race -> {
            assertThat(race.message()).contains("first writes 'half'", "second writes 'other'");
            assertThat(race.bytes()).isEqualTo(BYTES / 2);
        });
    }

    @Test
    void anInputThatIsWrittenForTheNextRunTooEarlyIsFound() {
        place(0, BYTES, 2 * BYTES);
        one.computeAsync(BoundGraph.of(onFirst));
        TensorData.setFloats(x, new float[COUNT]);
        assertThat(RaceDetector.races(log))
                .singleElement()
                .asString()
                .contains("first reads 'x'", "host writes 'x'", "missing: a synchronize of first");
    }

    @Test
    void aResultThatIsReadTooEarlyIsFound() {
        place(0, BYTES, 2 * BYTES);
        one.computeAsync(BoundGraph.of(onFirst));
        TensorData.getFloats(half);
        assertThat(RaceDetector.races(log))
                .singleElement()
                .asString()
                .contains("first writes 'half'", "host reads 'half'");
    }

    /** So that work still going on in it would be found. */
    @Test
    void givingMemoryBackCountsAsWritingAllOfIt() {
        first.bufferType().allocate(2 * BYTES).close();
        assertThat(log.entries().getLast()).isInstanceOfSatisfying(LogEntry.Work.class, work -> {
            assertThat(work.actor()).isEqualTo(log.host());
            assertThat(work.what()).isEqualTo("gives memory back");
            assertThat(work.accesses()).singleElement().satisfies(access -> {
                assertThat(access.isWrite()).isTrue();
                assertThat(access.bytes().length()).isEqualTo(2 * BYTES);
            });
        });
    }
}
