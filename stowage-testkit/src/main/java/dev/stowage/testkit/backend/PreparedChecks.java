package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.ClosedException;
import dev.stowage.graph.Graph;
import dev.stowage.plan.BoundGraph;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Graphs made ready once and run many times. */
final class PreparedChecks {

    private PreparedChecks() {}

    static List<Check> of(Device device, Device reference) {
        return new CheckGroup("prepared graphs", device, reference)
                .add("run as often as one likes, on what they find", PreparedChecks::runTwice)
                .add("run in submission order", PreparedChecks::inOrder)
                .add("run another graph after an update", PreparedChecks::update)
                .add("of two kinds do not get in each other's way", PreparedChecks::two)
                .add("without nodes run", PreparedChecks::empty)
                .add("are closed once and for all", PreparedChecks::closed)
                .add("end with their backend", PreparedChecks::closedWithBackend)
                .checks();
    }

    private static void verify(
            CheckFixture fixture, Backend backend, PreparedGraph prepared, SampleGraph sample, long seed) {
        float[] input = sample.input(seed);
        sample.x().set(0, MemorySegment.ofArray(input));
        backend.compute(prepared);
        SampleGraph.verify(fixture.expected(sample, input), CheckFixture.read(sample.y()), "prepared, input " + seed);
    }

    private static void runTwice(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.brief();
        try (PreparedGraph prepared = backend.prepare(sample.graph())) {
            for (int seed = 0; seed < 3; seed++) {
                verify(fixture, backend, prepared, sample, seed);
            }
        }
    }

    private static void inOrder(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.lasting();
        float[] first = sample.input(4);
        float[] second = sample.input(5);
        float[] output = sample.output();
        float[] another = sample.output();
        try (PreparedGraph prepared = backend.prepare(sample.graph())) {
            backend.setAsync(sample.x(), 0, MemorySegment.ofArray(first));
            prepared.computeAsync();
            backend.getAsync(sample.y(), 0, MemorySegment.ofArray(output));
            backend.setAsync(sample.x(), 0, MemorySegment.ofArray(second));
            prepared.computeAsync();
            backend.getAsync(sample.y(), 0, MemorySegment.ofArray(another));
            backend.synchronize();
        }
        SampleGraph.verify(fixture.expected(sample, first), output, "the first run");
        SampleGraph.verify(fixture.expected(sample, second), another, "the second run");
    }

    private static void update(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.brief();
        SampleGraph other = fixture.brief();
        try (PreparedGraph prepared = backend.prepare(sample.graph())) {
            verify(fixture, backend, prepared, sample, 6);
            prepared.update(other.graph());
            Verify.that(prepared.graph().equals(other.graph()), "graph() is still the one before");
            verify(fixture, backend, prepared, other, 7);
            prepared.update(sample.graph());
            verify(fixture, backend, prepared, sample, 8);
        }
    }

    private static void two(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph brief = fixture.brief();
        SampleGraph lasting = fixture.lasting();
        try (PreparedGraph first = backend.prepare(brief.graph());
                PreparedGraph second = backend.prepare(lasting.graph())) {
            verify(fixture, backend, second, lasting, 9);
            verify(fixture, backend, first, brief, 10);
            verify(fixture, backend, second, lasting, 11);
        }
    }

    private static void empty(CheckFixture fixture) {
        Backend backend = fixture.open();
        try (PreparedGraph prepared = backend.prepare(BoundGraph.of(Graph.listed(List.of(), List.of())))) {
            backend.compute(prepared);
        }
    }

    private static void closed(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.brief();
        PreparedGraph prepared = backend.prepare(sample.graph());
        prepared.close();
        prepared.close();
        Verify.refused(ClosedException.class, "running a closed prepared graph", () -> {
            prepared.computeAsync();
            backend.synchronize();
        });
        Verify.refused(
                ClosedException.class, "updating a closed prepared graph", () -> prepared.update(sample.graph()));
    }

    private static void closedWithBackend(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.brief();
        PreparedGraph prepared = backend.prepare(sample.graph());
        backend.close();
        Verify.refused(ClosedException.class, "running a prepared graph of a closed backend", prepared::computeAsync);
        prepared.close();
    }
}
