package dev.stowage.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.device.AddingDevice.AddingBackend;
import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBuffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where tensors are stored is data of a bound graph: runs of several do not disturb each other, nor the tensors. */
class BoundGraphRunTest {

    private final AddingDevice device = new AddingDevice("adder", DeviceType.CPU, 0);
    private final AddingBackend backend = device.open(BackendOptions.defaults());
    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 2);
    private final Tensor doubled = b.add(x, x).named("doubled");
    private final Tensor y = b.add(doubled, doubled).named("y").asOutput();
    private final Graph graph = b.build(y);
    private final GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard());

    @AfterEach
    void close() {
        backend.close();
        allocator.close();
    }

    /** A graph like this one with that many floats in every tensor. */
    private static Graph larger(long floats) {
        GraphBuilder builder = new GraphBuilder();
        Tensor input = builder.input("x", ElementType.F32, floats);
        return builder.build(builder.add(input, input).asOutput());
    }

    @Test
    void bindingAndRunningChangesNoTensorAndNoGraph() {
        String before = graph.dump();
        BoundGraph bound = allocator.bind(graph);
        TensorData.setFloats(bound.tensor(x), 1, 2);
        backend.compute(bound);

        assertThat(TensorData.getFloats(bound.tensor(y))).containsExactly(4, 8);
        assertThat(graph.dump()).isEqualTo(before);
        assertThat(List.of(x, doubled, y)).noneMatch(Tensor::isPlaced);
    }

    @Test
    void oneGraphBoundByTwoAllocatorsIsTwoBoundGraphsThatDoNotDisturbEachOther() {
        try (GraphAllocator another = GraphAllocator.on(HostBufferType.standard())) {
            BoundGraph first = allocator.bind(graph);
            BoundGraph second = another.bind(graph);
            TensorData.setFloats(first.tensor(x), 1, 2);
            TensorData.setFloats(second.tensor(x), 10, 20);
            backend.compute(first);
            backend.compute(second);

            assertThat(TensorData.getFloats(first.tensor(y))).containsExactly(4, 8);
            assertThat(TensorData.getFloats(second.tensor(y))).containsExactly(40, 80);
        }
    }

    @Test
    void aBoundGraphRunsAgainAfterOthersOfItsAllocatorHaveRun() {
        allocator.reserve(larger(64));
        BoundGraph first = allocator.bind(graph);
        BoundGraph second = allocator.bind(larger(8));
        for (int run = 1; run < 5; run++) {
            TensorData.setFloats(second.tensor(second.graph().leaf(0)), 9, 9, 9, 9, 9, 9, 9, 9);
            backend.compute(second);
            TensorData.setFloats(first.tensor(x), run, -run);
            backend.compute(first);

            assertThat(TensorData.getFloats(first.tensor(y))).containsExactly(4 * run, -4 * run);
        }
    }

    /** One graph and one thread for each allocator; the seed of a thread is its number. */
    @Test
    void oneGraphMayBeRunByManyThreadsWithAnAllocatorEach() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<Integer>> wrong = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                Random random = new Random(thread);
                wrong.add(threads.submit(() -> wrongResults(random)));
            }
            for (Future<Integer> count : wrong) {
                assertThat(count.get()).isZero();
            }
        }
    }

    private int wrongResults(Random random) {
        int wrong = 0;
        try (GraphAllocator own = GraphAllocator.on(HostBufferType.standard());
                Backend ownBackend = device.open()) {
            for (int run = 0; run < 500; run++) {
                if (random.nextInt(10) == 0) {
                    own.bind(larger(1 + random.nextInt(4)));
                }
                BoundGraph bound = own.bind(graph);
                float value = random.nextInt(1000);
                TensorData.setFloats(bound.tensor(x), value, value);
                ownBackend.compute(bound);
                wrong += TensorData.getFloats(bound.tensor(y))[1] == 4 * value ? 0 : 1;
            }
        }
        return wrong;
    }

    @Test
    void aGraphBoundBeforeItsAllocatorGrewIsRefused() {
        BoundGraph bound = allocator.bind(graph);
        PreparedGraph prepared = backend.prepare(bound);
        allocator.bind(larger(1000));

        assertThat(bound.isStale()).isTrue();
        assertThatExceptionOfType(ClosedException.class)
                .isThrownBy(() -> backend.compute(bound))
                .withMessageContainingAll("closed", "bind the graph again");
        assertThatExceptionOfType(ClosedException.class)
                .isThrownBy(prepared::computeAsync)
                .withMessageContaining("bind the graph again");
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> backend.prepare(bound));
        assertThatCode(() -> backend.compute(allocator.bind(graph))).doesNotThrowAnyException();
    }

    @Test
    void aGraphWhoseAllocatorIsClosedIsRefused() {
        BoundGraph bound = allocator.bind(graph);
        allocator.close();

        assertThatExceptionOfType(ClosedException.class)
                .isThrownBy(() -> backend.compute(bound))
                .withMessageContainingAll("closed", "bind the graph again");
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> TensorData.setFloats(bound.tensor(x), 1, 2));
    }

    @Test
    void aRunHoldsItsBuffersAndGivesThemBackWhenItIsDone() {
        MeasuringBufferType counted = MeasuringBufferType.of("counted", 64).withHost(true);
        GraphAllocator counting = GraphAllocator.on(counted);
        BoundGraph bound = counting.bind(graph);
        backend.whileRunning = () -> {
            counting.close();
            assertThat(counted.openBuffers()).as("while the run is under way").isEqualTo(1);
            throw new ClosedException("the run ends here");
        };

        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> backend.compute(bound));
        assertThat(counted.openBuffers()).as("after the run").isZero();
    }

    @Test
    void memoryThatTheDeviceDoesNotReachIsRefusedBeforeAnythingRuns() {
        MeasuringBufferType elsewhere = MeasuringBufferType.of("elsewhere", 64);
        backend.whileRunning = () -> {
            throw new AssertionError("it ran");
        };
        try (GraphAllocator far = GraphAllocator.on(elsewhere)) {
            BoundGraph bound = far.bind(graph);

            assertThatExceptionOfType(DeviceException.class)
                    .isThrownBy(() -> backend.compute(bound))
                    .withMessageContainingAll("adder", "'doubled'", "elsewhere", "scheduler");
            assertThatExceptionOfType(DeviceException.class).isThrownBy(() -> backend.prepare(bound));
            try (PreparedGraph prepared = backend.prepare(allocator.bind(graph))) {
                assertThatExceptionOfType(DeviceException.class).isThrownBy(() -> prepared.update(bound));
            }
        }
    }

    @Test
    void anOperandThatTheDeviceDoesNotReachIsRefused() {
        try (Buffer elsewhere = MeasuringBufferType.of("elsewhere", 64).allocate(64)) {
            elsewhere.place(x, 0);
            BoundGraph bound = allocator.bind(graph);

            assertThatExceptionOfType(DeviceException.class)
                    .isThrownBy(() -> backend.compute(bound))
                    .withMessageContainingAll("'doubled'", "operand 'x'", "elsewhere");
        }
    }

    @Test
    void aGraphThatWritesIntoAReadOnlyBufferIsRefused() {
        try (Arena arena = Arena.ofShared();
                Buffer readOnly = HostBuffer.over(arena.allocate(64, 64).asReadOnly())) {
            readOnly.place(doubled, 0);

            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(() -> allocator.bind(graph))
                    .withMessageContainingAll("'doubled'", "read-only");
        }
    }

    @Test
    void aGraphThatWritesThroughAViewIntoAReadOnlyBufferIsRefused() {
        try (Arena arena = Arena.ofShared();
                Buffer readOnly = HostBuffer.over(arena.allocate(64, 64).asReadOnly())) {
            Tensor cache = b.weight("cache", ElementType.F32, 2);
            Tensor written = b.cpy(x, cache).named("written");
            readOnly.place(cache, 0);

            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(() -> allocator.bind(b.build(written)))
                    .withMessageContainingAll("'written'", "read-only");
        }
    }

    @Test
    void aGraphMayReadAReadOnlyBuffer() {
        try (Arena arena = Arena.ofShared();
                Buffer readOnly = HostBuffer.over(arena.allocate(64, 64).asReadOnly())) {
            readOnly.place(x, 0);
            BoundGraph bound = allocator.bind(graph);
            backend.compute(bound);

            assertThat(TensorData.getFloats(bound.tensor(y))).containsExactly(0, 0);
        }
    }

    @Test
    void closingTheBackendClosesItsPreparedGraphs() {
        PreparedGraph prepared = backend.prepare(allocator.bind(graph));
        backend.close();

        assertThatExceptionOfType(ClosedException.class).isThrownBy(prepared::computeAsync);
        assertThatCode(prepared::close).doesNotThrowAnyException();
    }

    @Test
    void aPreparedGraphIsUpdatedToAnotherBoundGraph() {
        try (GraphAllocator another = GraphAllocator.on(HostBufferType.standard());
                PreparedGraph prepared = backend.prepare(allocator.bind(graph))) {
            BoundGraph second = another.bind(graph);
            TensorData.setFloats(second.tensor(x), 3, 4);
            prepared.update(second);
            backend.compute(prepared);

            assertThat(prepared.graph()).isSameAs(second);
            assertThat(TensorData.getFloats(second.tensor(y))).containsExactly(12, 16);
        }
    }

    /** A graph that adds a weight to its input. */
    private record Weighted(Tensor weight, Graph graph) {
        static Weighted create() {
            GraphBuilder builder = new GraphBuilder();
            Tensor weight = builder.weight("weight", ElementType.F32, 2);
            Tensor input = builder.input("x", ElementType.F32, 2);
            return new Weighted(weight, builder.build(builder.add(input, weight).asOutput()));
        }
    }

    @Test
    void memoryOfItsOwnThatIsClosedIsRefusedWhenTheGraphIsBound() {
        Weighted weighted = Weighted.create();
        Buffer buffer = Allocations.allocateAll(List.of(weighted.weight()), HostBufferType.standard());
        buffer.close();

        assertThatExceptionOfType(ClosedException.class)
                .isThrownBy(() -> allocator.bind(weighted.graph()))
                .withMessageContainingAll("'weight'", "host (", "closed", "place it");
        assertThat(allocator.size()).isZero();
    }

    @Test
    void memoryOfItsOwnThatIsClosedAfterBindingIsNamedByTheRun() {
        Weighted weighted = Weighted.create();
        Buffer buffer = Allocations.allocateAll(List.of(weighted.weight()), HostBufferType.standard());
        BoundGraph bound = allocator.bind(weighted.graph());
        buffer.close();

        assertThatExceptionOfType(ClosedException.class)
                .isThrownBy(() -> backend.compute(bound))
                .withMessageContainingAll("'weight'", "place it");
    }

    @Test
    void aGraphWithAllMemoryOfItsOwnIsNotBoundToClosedMemory() {
        Buffer buffer = Allocations.allocateAll(b, HostBufferType.standard());
        buffer.close();

        assertThatExceptionOfType(ClosedException.class)
                .isThrownBy(() -> BoundGraph.of(graph))
                .withMessageContainingAll("is stored in the buffer host", "closed");
    }

    @Test
    void tensorsAreMovedOnlyWhereTheyFit() {
        GraphBuilder builder = new GraphBuilder();
        Tensor small = builder.input("small", ElementType.F32, 2);
        Tensor large =
                builder.add(builder.tensor(ElementType.F32, 64, 64), small).asOutput();
        Graph twoSizes = builder.build(large);
        BoundGraph bound = allocator.bind(twoSizes);
        int[] largeId = {twoSizes.idOf(large)};
        int[] smallId = {twoSizes.idOf(small)};
        boolean fits = bound.offset(smallId[0]) + large.byteSize()
                <= bound.buffer(smallId[0]).size();

        assertThat(fits).isFalse();
        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() -> bound.movedTo(largeId, smallId))
                .withMessageContaining("does not fit");
        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> bound.movedTo(new int[] {0}, new int[] {99}));
    }
}
