package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.Event;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Marks in one backend's work that another backend, or the caller, waits for. */
final class EventChecks {

    private EventChecks() {}

    static List<Check> of(Device device, Device reference) {
        return new CheckGroup("events", device, reference)
                .add("let one backend wait for another", EventChecks::awaited)
                .add("let the caller wait", EventChecks::synchronizedWith)
                .add("that were never recorded count as reached", EventChecks::unrecorded)
                .add("recorded again have moved", EventChecks::moved)
                .add("can be awaited by the backend that recorded them", EventChecks::awaitedByItself)
                .add("report to the caller that the work before them failed", EventChecks::failed)
                .add("can be closed twice", EventChecks::closed)
                .checks();
    }

    private static void awaited(CheckFixture fixture) {
        Event event = fixture.event();
        Backend producer = fixture.open();
        Backend consumer = fixture.open();
        SampleGraph sample = fixture.lasting();
        float[] input = sample.input(1);
        float[] output = sample.output();
        producer.setAsync(sample.x(), 0, MemorySegment.ofArray(input));
        producer.computeAsync(sample.graph());
        producer.record(event);
        consumer.await(event);
        consumer.getAsync(sample.y(), 0, MemorySegment.ofArray(output));
        consumer.synchronize();
        SampleGraph.verify(fixture.expected(sample, input), output, "read by the backend that waited");
        producer.synchronize();
    }

    private static void synchronizedWith(CheckFixture fixture) {
        Event event = fixture.event();
        Backend backend = fixture.open();
        SampleGraph sample = fixture.lasting();
        float[] input = sample.input(2);
        backend.setAsync(sample.x(), 0, MemorySegment.ofArray(input));
        backend.computeAsync(sample.graph());
        backend.record(event);
        event.synchronize();
        SampleGraph.verify(
                fixture.expected(sample, input), CheckFixture.read(sample.y()), "read once the event was reached");
        backend.synchronize();
    }

    private static void unrecorded(CheckFixture fixture) {
        Event event = fixture.event();
        Backend backend = fixture.open();
        backend.await(event);
        event.synchronize();
        backend.synchronize();
    }

    private static void moved(CheckFixture fixture) {
        Event event = fixture.event();
        Backend producer = fixture.open();
        Backend consumer = fixture.open();
        SampleGraph sample = fixture.lasting();
        float[] first = sample.input(3);
        float[] second = sample.input(4);
        float[] output = sample.output();
        producer.setAsync(sample.x(), 0, MemorySegment.ofArray(first));
        producer.computeAsync(sample.graph());
        producer.record(event);
        producer.setAsync(sample.x(), 0, MemorySegment.ofArray(second));
        producer.computeAsync(sample.graph());
        producer.record(event);
        consumer.await(event);
        consumer.getAsync(sample.y(), 0, MemorySegment.ofArray(output));
        consumer.synchronize();
        SampleGraph.verify(fixture.expected(sample, second), output, "read after the second mark");
        producer.synchronize();
    }

    private static void awaitedByItself(CheckFixture fixture) {
        Event event = fixture.event();
        Backend backend = fixture.open();
        SampleGraph sample = fixture.brief();
        float[] input = sample.input(5);
        float[] output = sample.output();
        backend.setAsync(sample.x(), 0, MemorySegment.ofArray(input));
        backend.record(event);
        backend.await(event);
        backend.computeAsync(sample.graph());
        backend.getAsync(sample.y(), 0, MemorySegment.ofArray(output));
        backend.synchronize();
        SampleGraph.verify(fixture.expected(sample, input), output, "after its own event");
    }

    private static void failed(CheckFixture fixture) {
        Event event = fixture.event();
        Backend backend = fixture.open();
        SampleGraph sample = fixture.brief();
        Tensor bad = FailureChecks.placedImpossible(fixture, sample.y().tensor());
        try {
            backend.computeAsync(BoundGraph.of(Graph.of(bad)));
        } catch (DeviceException _) {
            return; // refused before anything could be recorded after it
        }
        backend.record(event);
        Verify.refused(DeviceException.class, "waiting for work that failed", event::synchronize);
        FailureChecks.drain(backend);
    }

    private static void closed(CheckFixture fixture) {
        Event event = fixture.event();
        Backend backend = fixture.open();
        backend.record(event);
        backend.synchronize();
        event.close();
        event.close();
    }
}
