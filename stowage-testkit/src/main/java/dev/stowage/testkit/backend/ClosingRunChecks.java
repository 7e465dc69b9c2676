package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.ClosedException;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What is closed during a run is kept until the run is over, which is not disturbed, and is refused after that. */
final class ClosingRunChecks {

    private ClosingRunChecks() {}

    static List<Check> of(Device device, Device reference) {
        return new CheckGroup("closing during a run", device, reference)
                .add("a buffer keeps its bytes until the run is over", ClosingRunChecks::buffer)
                .add("an allocator keeps its bytes until the run is over", ClosingRunChecks::allocator)
                .add("a prepared graph is run to its end", ClosingRunChecks::prepared)
                .add("a buffer is closed while another thread computes", ClosingRunChecks::bufferFromOutside)
                .add("a prepared graph is closed while another thread runs it", ClosingRunChecks::preparedFromOutside)
                .checks();
    }

    private static void buffer(CheckFixture fixture) {
        Backend backend = fixture.open();
        for (int round = 0; round < 3; round++) {
            SampleGraph sample = fixture.lasting();
            float[] input = sample.input(round);
            float[] output = sample.output();
            backend.setAsync(sample.x(), 0, MemorySegment.ofArray(input));
            backend.computeAsync(sample.graph());
            backend.getAsync(sample.y(), 0, MemorySegment.ofArray(output));
            sample.close();
            // What is taken now must not be what the run still works in.
            fixture.buffer(1 << 16).clear((byte) 0x7f);
            backend.synchronize();
            SampleGraph.verify(
                    fixture.expected(sample, input), output, "a run whose buffer was closed, round " + round);
            Verify.refused(ClosedException.class, "a run after that", () -> backend.computeAsync(sample.graph()));
        }
    }

    private static void allocator(CheckFixture fixture) {
        Backend backend = fixture.open();
        SharedGraph shared = new SharedGraph(fixture);
        GraphAllocator allocator = shared.allocator();
        BoundGraph bound = allocator.bind(shared.graph());
        float[] output = SharedGraph.output();
        backend.setAsync(shared.x(bound), 0, MemorySegment.ofArray(SharedGraph.input(3)));
        backend.computeAsync(bound);
        backend.getAsync(shared.y(bound), 0, MemorySegment.ofArray(output));
        allocator.close();
        backend.synchronize();
        SampleGraph.verify(shared.expected(3), output, "a run whose allocator was closed");
        Verify.refused(ClosedException.class, "a run after that", () -> backend.computeAsync(bound));
    }

    private static void prepared(CheckFixture fixture) {
        Backend backend = fixture.open();
        SharedGraph shared = new SharedGraph(fixture);
        BoundGraph bound = shared.bind();
        float[] output = SharedGraph.output();
        PreparedGraph prepared = backend.prepare(bound);
        backend.setAsync(shared.x(bound), 0, MemorySegment.ofArray(SharedGraph.input(4)));
        prepared.computeAsync();
        prepared.close();
        backend.getAsync(shared.y(bound), 0, MemorySegment.ofArray(output));
        backend.synchronize();
        SampleGraph.verify(shared.expected(4), output, "a run whose prepared graph was closed");
        Verify.refused(ClosedException.class, "a run after that", prepared::computeAsync);
    }

    /** Holds a run between two nodes, where the device asks whether to go on, until something has been closed. */
    private static final class Pause {

        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch closed = new CountDownLatch(1);
        private int asked;

        BackendOptions options() {
            return BackendOptions.defaults().withAbort(this::pass);
        }

        /** Asked before every node: the first has run when this waits. */
        private synchronized boolean pass() {
            if (++asked == 2) {
                reached.countDown();
                try {
                    closed.await();
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                }
            }
            return false;
        }

        void run(Runnable run, Runnable close) throws Exception {
            try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
                Future<?> running = executor.submit(() -> {
                    try {
                        run.run();
                    } finally {
                        reached.countDown();
                    }
                });
                reached.await();
                try {
                    close.run();
                } finally {
                    closed.countDown();
                }
                running.get();
            }
        }

        synchronized void requireAsked() {
            if (asked < 2) {
                throw new CheckSkipped("the device does not ask between nodes");
            }
        }
    }

    private static void bufferFromOutside(CheckFixture fixture) throws Exception {
        Pause pause = new Pause();
        SharedGraph shared = new SharedGraph(fixture);
        Buffer input = fixture.buffer(fixture.room(shared.x()));
        input.place(shared.x(), 0);
        BoundGraph bound = shared.bind();
        shared.x(bound).set(0, MemorySegment.ofArray(SharedGraph.input(5)));
        try (Backend backend = fixture.device().open(pause.options())) {
            pause.run(() -> backend.compute(bound), input::close);
            pause.requireAsked();
        }
        SampleGraph.verify(shared.expected(5), CheckFixture.read(shared.y(bound)), "a run whose input was closed");
    }

    private static void preparedFromOutside(CheckFixture fixture) throws Exception {
        Pause pause = new Pause();
        SharedGraph shared = new SharedGraph(fixture);
        BoundGraph bound = shared.bind();
        shared.x(bound).set(0, MemorySegment.ofArray(SharedGraph.input(6)));
        try (Backend backend = fixture.device().open(pause.options())) {
            PreparedGraph prepared = backend.prepare(bound);
            pause.run(() -> backend.compute(prepared), prepared::close);
            pause.requireAsked();
            Verify.refused(ClosedException.class, "a run after that", prepared::computeAsync);
        }
        SampleGraph.verify(
                shared.expected(6), CheckFixture.read(shared.y(bound)), "a run whose prepared graph was closed");
    }
}
