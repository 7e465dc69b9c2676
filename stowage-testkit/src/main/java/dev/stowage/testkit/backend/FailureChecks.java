package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.error.DeviceException;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** What cannot be done is refused in words, and everything can be used afterwards. */
final class FailureChecks {

    private FailureChecks() {}

    static List<Check> of(Device device, Device reference) {
        return new Group("failures", device, reference)
                .add("an op that is not supported is refused by its name", FailureChecks::named)
                .add("a failure is told once, and the backend works again", FailureChecks::usableAgain)
                .add("what was handed in behind a failure is dropped", FailureChecks::dropped)
                .add("a tensor without memory is refused, and the backend works again", FailureChecks::unplaced)
                .add(
                        "a tensor in a closed buffer is refused, and the backend works again",
                        FailureChecks::inClosedBuffer)
                .add("a run the caller asks to stop ends with an exception, if it asks", FailureChecks::aborted)
                .checks();
    }

    /** A node the device does not run, in memory of its own. */
    static Tensor placedImpossible(Bench bench, Tensor source) {
        Tensor bad = bench.impossible(source);
        bench.buffer(bench.room(bad)).place(bad, 0);
        return bad;
    }

    /** Hears of failures that are still to be told. */
    static void settle(Backend backend) {
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

    /** The one failure of a graph, thrown when it is handed in or waited for. */
    private static StowageException failureOf(Backend backend, Graph graph) {
        Optional<StowageException> atOnce = failureOf(() -> backend.computeAsync(graph));
        Optional<StowageException> later = failureOf(backend::synchronize);
        Verify.that(atOnce.isPresent() || later.isPresent(), "a graph that cannot be run was run without a word");
        Verify.that(atOnce.isEmpty() || later.isEmpty(), "the failure was told twice: " + later);
        return atOnce.or(() -> later).orElseThrow();
    }

    private static void named(Bench bench) {
        Backend backend = bench.open();
        Sample sample = bench.brief();
        Tensor bad = placedImpossible(bench, sample.y());
        StowageException failure = failureOf(backend, Graph.of(bad));
        Verify.that(failure instanceof DeviceException, "it must throw a DeviceException and threw " + failure);
        Verify.that(
                String.valueOf(failure.getMessage()).contains(bad.op().name()),
                "the message does not name " + bad.op() + ": " + failure.getMessage());
    }

    private static void usableAgain(Bench bench) {
        Backend backend = bench.open();
        Sample sample = bench.brief();
        failureOf(backend, Graph.of(placedImpossible(bench, sample.y())));
        backend.synchronize();
        requireWorks(bench, backend, sample);
    }

    private static void requireWorks(Bench bench, Backend backend, Sample sample) {
        float[] input = sample.input(1);
        Sample.verify(bench.expected(sample, input), sample.compute(backend, input), "a run after the failure");
    }

    private static void dropped(Bench bench) {
        Backend backend = bench.open();
        Sample sample = bench.brief();
        float[] input = sample.input(2);
        float[] output = sample.output();
        Arrays.fill(output, 42);
        boolean refusedAtOnce = failureOf(() -> backend.computeAsync(Graph.of(placedImpossible(bench, sample.y()))))
                .isPresent();
        if (refusedAtOnce) {
            throw new Unsupported("it is refused before anything can be handed in behind it");
        }
        backend.setAsync(sample.x(), 0, MemorySegment.ofArray(input));
        backend.computeAsync(sample.graph());
        backend.getAsync(sample.y(), 0, MemorySegment.ofArray(output));
        Verify.that(failureOf(backend::synchronize).isPresent(), "the failure was swallowed");
        for (float value : output) {
            Verify.that(value == 42, "what was handed in behind the failure was done all the same");
        }
    }

    private static void unplaced(Bench bench) {
        Backend backend = bench.open();
        Sample sample = bench.brief();
        Sample other = bench.brief();
        other.close();
        other.graph().leaves().forEach(Tensor::displace);
        other.graph().nodes().stream().filter(node -> !node.isView()).forEach(Tensor::displace);
        failureOf(backend, other.graph());
        requireWorks(bench, backend, sample);
    }

    private static void inClosedBuffer(Bench bench) {
        Backend backend = bench.open();
        Sample sample = bench.brief();
        Sample other = bench.brief();
        other.close();
        failureOf(backend, other.graph());
        requireWorks(bench, backend, sample);
    }

    private static void aborted(Bench bench) {
        AtomicInteger asked = new AtomicInteger();
        BackendOptions options = BackendOptions.defaults().withAbort(() -> asked.incrementAndGet() > 1);
        try (Backend backend = bench.device().open(options)) {
            Sample sample = bench.brief();
            Optional<StowageException> failure = failureOf(() -> sample.compute(backend, sample.input(3)));
            if (asked.get() < 2) {
                throw new Unsupported("the device does not ask between nodes");
            }
            Verify.that(failure.isPresent(), "the caller asked to stop, and the run went on");
        }
    }
}
