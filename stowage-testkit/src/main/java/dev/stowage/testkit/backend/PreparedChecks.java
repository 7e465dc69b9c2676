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
        return new Group("prepared graphs", device, reference)
                .add("run as often as one likes, on what they find", PreparedChecks::runTwice)
                .add("run in their turn", PreparedChecks::inTurn)
                .add("run another graph after an update", PreparedChecks::update)
                .add("of two kinds do not get in each other's way", PreparedChecks::two)
                .add("without nodes run", PreparedChecks::empty)
                .add("are closed once and for all", PreparedChecks::closed)
                .add("end with their backend", PreparedChecks::closedWithBackend)
                .checks();
    }

    private static void verify(Bench bench, Backend backend, PreparedGraph prepared, Sample sample, long seed) {
        float[] input = sample.input(seed);
        sample.x().set(0, MemorySegment.ofArray(input));
        backend.compute(prepared);
        Sample.verify(bench.expected(sample, input), Bench.read(sample.y()), "prepared, input " + seed);
    }

    private static void runTwice(Bench bench) {
        Backend backend = bench.open();
        Sample sample = bench.brief();
        try (PreparedGraph prepared = backend.prepare(sample.graph())) {
            for (int seed = 0; seed < 3; seed++) {
                verify(bench, backend, prepared, sample, seed);
            }
        }
    }

    private static void inTurn(Bench bench) {
        Backend backend = bench.open();
        Sample sample = bench.lasting();
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
        Sample.verify(bench.expected(sample, first), output, "the first run");
        Sample.verify(bench.expected(sample, second), another, "the second run");
    }

    private static void update(Bench bench) {
        Backend backend = bench.open();
        Sample sample = bench.brief();
        Sample other = bench.brief();
        try (PreparedGraph prepared = backend.prepare(sample.graph())) {
            verify(bench, backend, prepared, sample, 6);
            prepared.update(other.graph());
            Verify.that(prepared.graph().equals(other.graph()), "graph() is still the one before");
            verify(bench, backend, prepared, other, 7);
            prepared.update(sample.graph());
            verify(bench, backend, prepared, sample, 8);
        }
    }

    private static void two(Bench bench) {
        Backend backend = bench.open();
        Sample brief = bench.brief();
        Sample lasting = bench.lasting();
        try (PreparedGraph first = backend.prepare(brief.graph());
                PreparedGraph second = backend.prepare(lasting.graph())) {
            verify(bench, backend, second, lasting, 9);
            verify(bench, backend, first, brief, 10);
            verify(bench, backend, second, lasting, 11);
        }
    }

    private static void empty(Bench bench) {
        Backend backend = bench.open();
        try (PreparedGraph prepared = backend.prepare(BoundGraph.of(Graph.listed(List.of(), List.of())))) {
            backend.compute(prepared);
        }
    }

    private static void closed(Bench bench) {
        Backend backend = bench.open();
        Sample sample = bench.brief();
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

    private static void closedWithBackend(Bench bench) {
        Backend backend = bench.open();
        Sample sample = bench.brief();
        PreparedGraph prepared = backend.prepare(sample.graph());
        backend.close();
        Verify.refused(ClosedException.class, "running a prepared graph of a closed backend", prepared::computeAsync);
        prepared.close();
    }
}
