package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A graph is run where it is bound: in any number of places, and in none that the device does not reach. */
final class BindingChecks {

    private BindingChecks() {}

    static List<Check> of(Device device, Device reference) {
        return new CheckGroup("bound graphs", device, reference)
                .add("of one graph run side by side, each in its places", BindingChecks::boundTwice)
                .add("of one graph are prepared and run side by side", BindingChecks::preparedTwice)
                .add("of one graph run in threads of their own", BindingChecks::inThreads)
                .add("in memory the device does not reach are refused before anything runs", BindingChecks::unreachable)
                .add("in memory the device does not reach are not prepared", BindingChecks::unreachablePrepared)
                .checks();
    }

    private static void boundTwice(CheckFixture fixture) {
        SharedGraph shared = new SharedGraph(fixture);
        Backend backend = fixture.open();
        BoundGraph first = shared.bind();
        BoundGraph second = shared.bind();
        for (int seed = 0; seed < 6; seed++) {
            double[] found = shared.computed(backend, seed % 2 == 0 ? first : second, seed);
            SampleGraph.verify(shared.expected(seed), found, "run " + seed);
        }
    }

    /** Both inputs are written before either runs, and both results read after both have: nothing is in common. */
    private static void preparedTwice(CheckFixture fixture) {
        SharedGraph shared = new SharedGraph(fixture);
        Backend backend = fixture.open();
        BoundGraph one = shared.bind();
        BoundGraph other = shared.bind();
        try (PreparedGraph first = backend.prepare(one);
                PreparedGraph second = backend.prepare(other)) {
            for (int seed = 0; seed < 6; seed += 2) {
                shared.x(one).set(0, MemorySegment.ofArray(SharedGraph.input(seed)));
                shared.x(other).set(0, MemorySegment.ofArray(SharedGraph.input(seed + 1)));
                first.computeAsync();
                second.computeAsync();
                backend.synchronize();
                SampleGraph.verify(shared.expected(seed), CheckFixture.read(shared.y(one)), "the first, run " + seed);
                SampleGraph.verify(
                        shared.expected(seed + 1), CheckFixture.read(shared.y(other)), "the second, run " + seed);
            }
        }
    }

    private static void inThreads(CheckFixture fixture) throws Exception {
        SharedGraph shared = new SharedGraph(fixture);
        try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
            Future<double[]> first = executor.submit(() -> repeated(fixture, shared, 0));
            Future<double[]> second = executor.submit(() -> repeated(fixture, shared, 100));
            SampleGraph.verify(shared.expected(19), first.get(), "the first thread");
            SampleGraph.verify(shared.expected(119), second.get(), "the second thread");
        }
    }

    private static double[] repeated(CheckFixture fixture, SharedGraph shared, int firstSeed) {
        try (Backend backend = fixture.device().open();
                GraphAllocator allocator = GraphAllocator.on(fixture.device().bufferType())) {
            BoundGraph bound = allocator.bind(shared.graph());
            for (int run = 0; run < 19; run++) {
                shared.computed(backend, bound, firstSeed + run);
            }
            return shared.computed(backend, bound, firstSeed + 19);
        }
    }

    /** Two nodes: one in memory of the device, and one that reads memory it does not reach. */
    private static BoundGraph halfOutOfReach(CheckFixture fixture, Buffer results) {
        UnreachableMemory memory = new UnreachableMemory();
        Verify.that(
                !fixture.device().supportsBufferType(memory),
                "the device claims to reach '" + memory.name() + "', which it has never seen");
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.input("x", ElementType.F32, SampleOp.WIDTH, SampleOp.WIDTH);
        Tensor far = b.input("far", ElementType.F32, SampleOp.WIDTH, SampleOp.WIDTH);
        Tensor near = fixture.program().step(b, x, x).named("near").asOutput();
        Tensor bad = fixture.program().step(b, far, far).named("bad").asOutput();
        long room = fixture.room(x);
        results.place(near, 0);
        results.place(bad, room);
        results.place(x, 2 * room);
        Buffer elsewhere = memory.allocate(far.byteSize());
        fixture.afterwards(elsewhere::close);
        elsewhere.place(far, 0);
        return BoundGraph.of(b.build(near, bad));
    }

    private static Buffer results(CheckFixture fixture) {
        GraphBuilder b = new GraphBuilder();
        Buffer results = fixture.buffer(3 * fixture.room(b.tensor(ElementType.F32, SampleOp.WIDTH, SampleOp.WIDTH)));
        results.clear((byte) 0x33);
        return results;
    }

    private static void unreachable(CheckFixture fixture) {
        Backend backend = fixture.open();
        Buffer results = results(fixture);
        BoundGraph bound = halfOutOfReach(fixture, results);
        byte[] before = Bytes.read(CheckFixture.over(results));
        DeviceException refused =
                Verify.refused(DeviceException.class, "memory out of reach", () -> backend.computeAsync(bound));
        Verify.that(
                String.valueOf(refused.getMessage()).contains("far"),
                "the message does not name the tensor: " + refused.getMessage());
        backend.synchronize();
        Verify.bytes(before, Bytes.read(CheckFixture.over(results)), "results of a graph that was refused");
    }

    private static void unreachablePrepared(CheckFixture fixture) {
        Backend backend = fixture.open();
        BoundGraph bound = halfOutOfReach(fixture, results(fixture));
        Verify.refused(
                DeviceException.class,
                "preparing for memory out of reach",
                () -> backend.prepare(bound).close());
        SampleGraph sample = fixture.brief();
        float[] input = sample.input(1);
        try (PreparedGraph prepared = backend.prepare(sample.graph())) {
            Verify.refused(DeviceException.class, "an update to memory out of reach", () -> prepared.update(bound));
            sample.x().set(0, MemorySegment.ofArray(input));
            backend.compute(prepared);
        }
        SampleGraph.verify(fixture.expected(sample, input), CheckFixture.read(sample.y()), "the one prepared before");
    }
}
