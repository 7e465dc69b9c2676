package dev.stowage.cpu.stress;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.PreparedGraph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBuffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.LinearAllocator;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Runs in memory that one thread owns alone: whatever the others do, one that returns has the right result. */
final class VerifiedRuns {

    private static final int RUNS = 3;
    private static final long BYTES = 1 << 17;

    private final World world;
    private final Random random;

    VerifiedRuns(World world, Random random) {
        this.world = world;
        this.random = random;
    }

    private StressSample sample() {
        return world.samples.get(2 * random.nextInt(3));
    }

    /** On a backend that others use and close too, and which then refuses. */
    void onSharedBackend() {
        Optional<Backend> backend = world.backends.any(random);
        if (backend.isEmpty()) {
            return;
        }
        BufferType type = random.nextBoolean() ? backend.get().device().bufferType() : HostBufferType.standard();
        try (GraphAllocator allocator = GraphAllocator.on(type)) {
            StressSample sample = sample();
            BoundGraph bound = allocator.bind(sample.graph());
            for (int run = 0; run < RUNS; run++) {
                float[] expected = write(bound, sample);
                backend.get().compute(bound);
                check("compute on " + backend.get().name(), bound.tensor(sample.result()), expected);
            }
        }
    }

    /** On a backend of its own, prepared, and updated with a graph in other memory of an allocator that grows. */
    void onOwnBackend() {
        Device device = world.anyDevice(random);
        try (Backend backend = device.open(BackendOptions.defaults().withThreads(2));
                GraphAllocator first = GraphAllocator.on(device.bufferType());
                GraphAllocator second = GraphAllocator.on(device.bufferType())) {
            StressSample sample = sample();
            BoundGraph bound = first.bind(sample.graph());
            BoundGraph elsewhere = second.bind(sample.graph());
            PreparedGraph prepared = backend.prepare(bound);
            for (int run = 0; run < RUNS; run++) {
                BoundGraph next = run % 2 == 0 ? elsewhere : bound;
                float[] expected = write(next, sample);
                prepared.update(next);
                backend.compute(prepared);
                check("prepared on " + device.name(), next.tensor(sample.result()), expected);
            }
        }
    }

    /** With a scheduler of its own over devices of all kinds; with a pipeline, several runs ahead. */
    void scheduled() {
        List<Backend> backends = new ArrayList<>();
        try {
            backends.add(world.anyDevice(random).open());
            backends.add((random.nextBoolean() ? world.cpu : world.reference).open());
            try (Scheduler scheduler = Scheduler.over(backends, ScheduleOperations.options(random))) {
                StressSample sample = sample();
                BoundSchedule bound = scheduler.bind(sample.graph());
                for (int run = 0; run < RUNS; run++) {
                    float[] matrix = sample.matrix(random);
                    float[] vector = sample.vector(random);
                    bound.advance();
                    TensorData.setFloats(bound.tensor(sample.matrix()), matrix);
                    TensorData.setFloats(bound.tensor(sample.x()), vector);
                    bound.runAsync();
                    if (random.nextBoolean() || run == RUNS - 1) {
                        scheduler.synchronize();
                        check(
                                "run " + run + " of " + scheduler.options()
                                        + scheduler.backends().getFirst().name(),
                                bound.tensor(sample.result()),
                                sample.expected(matrix, vector));
                    }
                }
            }
        } finally {
            backends.forEach(Backend::close);
        }
    }

    /** In a buffer over an arena that others try to close meanwhile: refused, or right. */
    void overForeignArena() {
        Optional<Arena> arena = world.arenas.any(random).map(World.Foreign::arena);
        if (arena.isEmpty()) {
            return;
        }
        Device device = random.nextInt(4) == 0 ? world.integrated : world.cpu;
        StressSample model = sample();
        StressSample sample = StressSample.of((int) model.x().dim(0), 1, false);
        List<Tensor> tensors = new ArrayList<>(sample.graph().nodes());
        tensors.add(sample.x());
        tensors.add(sample.matrix());
        MemorySegment segment;
        try {
            segment = arena.get().allocate(BYTES, 64);
        } catch (IllegalStateException _) {
            return;
        }
        try (Backend backend = device.open();
                Buffer buffer = HostBuffer.over(segment)) {
            LinearAllocator memory = new LinearAllocator(buffer);
            tensors.stream().filter(it -> !it.isView()).forEach(memory::allocate);
            BoundGraph bound = BoundGraph.of(sample.graph());
            for (int run = 0; run < RUNS; run++) {
                float[] expected = write(bound, sample);
                backend.compute(bound);
                check("over an arena on " + device.name(), bound.tensor(sample.result()), expected);
            }
        }
    }

    private float[] write(BoundGraph bound, StressSample sample) {
        float[] matrix = sample.matrix(random);
        float[] vector = sample.vector(random);
        TensorData.setFloats(bound.tensor(sample.matrix()), matrix);
        TensorData.setFloats(bound.tensor(sample.x()), vector);
        return sample.expected(matrix, vector);
    }

    private static void check(String what, BoundTensor result, float[] expected) {
        float[] actual = TensorData.getFloats(result);
        if (!Arrays.equals(actual, expected)) {
            throw new AssertionError(
                    what + " gave " + Arrays.toString(actual) + " instead of " + Arrays.toString(expected));
        }
    }
}
