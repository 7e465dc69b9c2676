package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.error.AccessException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** Failures are reported with a message, and everything stays usable. */
final class FailureChecks {

    private FailureChecks() {}

    static List<Check> of(Device device, Device reference) {
        return new CheckGroup("failures", device, reference)
                .add("an op that is not supported is refused by its name", FailureChecks::named)
                .add("a failure is reported once, and the backend works again", FailureChecks::usableAgain)
                .add("what was submitted after a failure is dropped", FailureChecks::dropped)
                .add("a tensor without memory is refused, and the backend works again", FailureChecks::unplaced)
                .add(
                        "a tensor in a closed buffer is refused, and the backend works again",
                        FailureChecks::inClosedBuffer)
                .add(
                        "a row that a table does not have fails the run, and the backend works again",
                        FailureChecks::noSuchRow)
                .add("a run the caller asks to stop ends with an exception, if it asks", FailureChecks::aborted)
                .checks();
    }

    /** A node the device does not run, in memory of its own. */
    static Tensor placedImpossible(CheckFixture fixture, Tensor source) {
        Tensor bad = fixture.impossible(source);
        fixture.buffer(fixture.room(bad)).place(bad, 0);
        return bad;
    }

    private static BoundGraph impossible(CheckFixture fixture, SampleGraph sample) {
        return BoundGraph.of(Graph.of(placedImpossible(fixture, sample.y().tensor())));
    }

    /** Consumes failures that are still to be reported. */
    static void drain(Backend backend) {
        failureOf(backend::synchronize);
    }

    private static Optional<StowageException> failureOf(Runnable call) {
        try {
            call.run();
            return Optional.empty();
        } catch (StowageException failure) {
            return Optional.of(failure);
        }
    }

    /** The one failure of a graph, thrown when it is submitted or waited for. */
    private static StowageException failureOf(Backend backend, BoundGraph graph) {
        Optional<StowageException> atOnce = failureOf(() -> backend.computeAsync(graph));
        Optional<StowageException> later = failureOf(backend::synchronize);
        Verify.that(atOnce.isPresent() || later.isPresent(), "a graph that cannot be run was run without a word");
        Verify.that(atOnce.isEmpty() || later.isEmpty(), "the failure was reported twice: " + later);
        return atOnce.or(() -> later).orElseThrow();
    }

    private static void named(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.brief();
        Tensor bad = placedImpossible(fixture, sample.y().tensor());
        StowageException failure = failureOf(backend, BoundGraph.of(Graph.of(bad)));
        Verify.that(failure instanceof DeviceException, "it must throw a DeviceException and threw " + failure);
        Verify.that(
                String.valueOf(failure.getMessage()).contains(bad.op().name()),
                "the message does not name " + bad.op() + ": " + failure.getMessage());
    }

    private static void usableAgain(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.brief();
        failureOf(backend, impossible(fixture, sample));
        backend.synchronize();
        requireWorks(fixture, backend, sample);
    }

    private static void requireWorks(CheckFixture fixture, Backend backend, SampleGraph sample) {
        float[] input = sample.input(1);
        SampleGraph.verify(fixture.expected(sample, input), sample.compute(backend, input), "a run after the failure");
    }

    private static void dropped(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.brief();
        float[] input = sample.input(2);
        float[] output = sample.output();
        Arrays.fill(output, 42);
        boolean refusedAtOnce = failureOf(() -> backend.computeAsync(impossible(fixture, sample)))
                .isPresent();
        if (refusedAtOnce) {
            throw new CheckSkipped("it is refused before anything can be submitted after it");
        }
        backend.setAsync(sample.x(), 0, MemorySegment.ofArray(input));
        backend.computeAsync(sample.graph());
        backend.getAsync(sample.y(), 0, MemorySegment.ofArray(output));
        Verify.that(failureOf(backend::synchronize).isPresent(), "the failure was swallowed");
        for (float value : output) {
            Verify.that(value == 42, "what was submitted after the failure was done all the same");
        }
    }

    private static void unplaced(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.brief();
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.input("x", ElementType.F32, SampleOp.WIDTH, SampleOp.WIDTH);
        Graph graph = b.build(fixture.program().step(b, x, b.duplicate(x)));
        Verify.refused(AccessException.class, "a graph without memory", () -> backend.compute(graph));
        requireWorks(fixture, backend, sample);
    }

    private static void inClosedBuffer(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.brief();
        SampleGraph other = fixture.brief();
        other.close();
        failureOf(backend, other.graph());
        requireWorks(fixture, backend, sample);
    }

    private static void noSuchRow(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.brief();
        GraphBuilder b = new GraphBuilder();
        Tensor numbers = b.input("numbers", ElementType.I32, 2);
        Tensor rows = b.getRows(b.input("table", ElementType.F32, SampleOp.WIDTH, 3), numbers);
        if (!fixture.device().supports(rows).isSupported()) {
            throw new CheckSkipped("the device does not look up rows");
        }
        for (Tensor tensor : List.of(rows.source(0), numbers, rows)) {
            fixture.buffer(fixture.room(tensor)).place(tensor, 0);
        }
        BoundGraph graph = BoundGraph.of(Graph.of(rows));
        for (int wrong : new int[] {3, -1}) {
            graph.tensor(numbers).set(0, MemorySegment.ofArray(new int[] {1, wrong}));
            StowageException failure = failureOf(backend, graph);
            Verify.that(
                    String.valueOf(failure.getMessage()).contains(Integer.toString(wrong)),
                    "the message does not name row " + wrong + ": " + failure.getMessage());
        }
        graph.tensor(numbers).set(0, MemorySegment.ofArray(new int[] {1, 2}));
        backend.compute(graph);
        requireWorks(fixture, backend, sample);
    }

    private static void aborted(CheckFixture fixture) {
        AtomicInteger asked = new AtomicInteger();
        BackendOptions options = BackendOptions.defaults().withAbort(() -> asked.incrementAndGet() > 1);
        try (Backend backend = fixture.device().open(options)) {
            SampleGraph sample = fixture.brief();
            Optional<StowageException> failure = failureOf(() -> sample.compute(backend, sample.input(3)));
            if (asked.get() < 2) {
                throw new CheckSkipped("the device does not ask between nodes");
            }
            Verify.that(failure.isPresent(), "the caller asked to stop, and the run went on");
        }
    }
}
