package dev.stowage.cpu.stress;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.error.AccessException;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBuffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MappedBuffer;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.memory.RowRange;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** What a thread does to memory, graphs and backends that all threads share; nothing is said about results. */
final class Operations {

    private static final long BYTES = 1 << 16;

    private final World world;
    private final Random random;

    Operations(World world, Random random) {
        this.world = world;
        this.random = random;
    }

    void arena() throws Exception {
        if (random.nextBoolean()) {
            try {
                world.arenas.closeAny(random);
            } catch (IllegalStateException _) {
                // Closed already, or a buffer over it has been used and is open.
            }
        } else if (world.arenas
                .any(random)
                .filter(it -> it.arena().scope().isAlive())
                .isEmpty()) {
            try {
                world.arenas.put(random, new World.Foreign(Arena.ofShared()));
            } catch (IllegalStateException _) {
                // That whose place it took cannot be closed now.
            }
        }
    }

    void buffer() throws Exception {
        if (random.nextInt(3) == 0) {
            world.buffers.closeAny(random);
        } else {
            world.buffers.put(random, newBuffer());
        }
    }

    private Buffer newBuffer() {
        return switch (random.nextInt(7)) {
            case 0 -> MappedBuffer.map(world.file, 0, BYTES);
            case 1 -> MappedBuffer.mapPrivately(world.file, 0, BYTES);
            case 2 -> MeasuringBufferType.of("paper", 64).allocate(BYTES);
            case 3 -> world.gpu.bufferType().allocate(BYTES);
            case 4 -> HostBufferType.standard().allocate(BYTES);
            case 5 -> overBuffer().orElseGet(() -> HostBuffer.over(foreign()));
            default -> HostBuffer.over(foreign());
        };
    }

    /** A buffer over the bytes of another one. */
    private Optional<Buffer> overBuffer() {
        return world.buffers.any(random).filter(Buffer::hasSegment).map(below -> HostBuffer.over(below.segment()));
    }

    private MemorySegment foreign() {
        try {
            return world.arenas
                    .any(random)
                    .map(World.Foreign::arena)
                    .orElseGet(Arena::ofAuto)
                    .allocate(BYTES, 64);
        } catch (IllegalStateException _) {
            return Arena.global().allocate(64, 64);
        }
    }

    void transfer() {
        BoundTensor tensor = anyTensor();
        MemorySegment bytes = MemorySegment.ofArray(new byte[(int) Math.min(tensor.byteSize(), 64)]);
        switch (random.nextInt(5)) {
            case 0 -> tensor.set(0, bytes);
            case 1 -> tensor.get(0, bytes);
            case 2 -> tensor.memset(0, bytes.byteSize(), (byte) 0);
            case 3 -> Buffer.copy(tensor, anyTensor());
            default -> tensor.buffer().setRows(tensor, rows(), bytes, rows());
        }
    }

    private static RowRange rows() {
        return new RowRange(0, 8, 2, 16);
    }

    /** A tensor somewhere: in a buffer, or in the memory of a bound graph. */
    private BoundTensor anyTensor() {
        Optional<BoundGraph> bound = world.anyBound(random);
        if (bound.isPresent() && random.nextBoolean()) {
            return bound.get().tensor(random.nextInt(bound.get().graph().size()));
        }
        Buffer buffer = world.buffers.any(random).orElseThrow(() -> new AccessException("no buffer"));
        Tensor tensor = Tensor.leaf(Layout.contiguous(ElementType.F32, 16));
        return BoundTensor.at(tensor, buffer, 64L * random.nextInt(8));
    }

    /** Gives a weight whose memory is closed memory again, in any buffer or in one of its own. */
    void weight() throws Exception {
        Tensor weight = world.samples.get(random.nextBoolean() ? 1 : 3).matrix();
        if (weight.isPlaced() && random.nextInt(4) == 0) {
            Buffer.of(weight).close();
        }
        Optional<Buffer> buffer = world.buffers.any(random);
        if (buffer.isPresent() && random.nextBoolean()) {
            buffer.get().place(weight, 0);
        } else {
            world.buffers.put(
                    random,
                    Allocations.allocateAll(
                            List.of(weight), world.anyDevice(random).bufferType()));
        }
    }

    void allocator() throws Exception {
        switch (random.nextInt(8)) {
            case 0 -> world.allocators.closeAny(random);
            case 1 ->
                world.allocators.put(
                        random, GraphAllocator.on(world.anyDevice(random).bufferType()));
            case 2, 3 ->
                world.allocators
                        .any(random)
                        .ifPresent(it -> it.reserve(world.anySample(random).graph()));
            case 4 -> world.put(random, BoundGraph.of(world.anySample(random).graph()));
            default ->
                world.allocators
                        .any(random)
                        .ifPresent(it -> world.put(
                                random, it.bind(world.anySample(random).graph())));
        }
    }

    void backend() throws Exception {
        if (random.nextInt(3) == 0) {
            world.backends.closeAny(random);
        } else {
            Device device = world.anyDevice(random);
            world.backends.put(random, device.open(BackendOptions.defaults().withThreads(1 + random.nextInt(2))));
        }
    }

    void compute() {
        Optional<Backend> backend = world.backends.any(random);
        Optional<BoundGraph> graph = world.anyBound(random);
        if (backend.isPresent() && graph.isPresent()) {
            switch (random.nextInt(4)) {
                case 0 -> backend.get().computeAsync(graph.get());
                case 1 -> backend.get().synchronize();
                case 2 -> {
                    int nodes = graph.get().graph().nodeCount();
                    backend.get().compute(graph.get().part(graph.get().graph().slice(0, nodes / 2)));
                }
                default -> backend.get().compute(graph.get());
            }
        }
    }

    void prepared() throws Exception {
        Optional<BoundGraph> graph = world.anyBound(random);
        switch (random.nextInt(6)) {
            case 0 -> world.prepared.closeAny(random);
            case 1 -> {
                Optional<Backend> backend = world.backends.any(random);
                if (backend.isPresent() && graph.isPresent()) {
                    world.prepared.put(random, backend.get().prepare(graph.get()));
                }
            }
            case 2 -> {
                if (graph.isPresent()) {
                    world.prepared.any(random).ifPresent(it -> it.update(graph.get()));
                }
            }
            default -> world.prepared.any(random).ifPresent(it -> it.computeAsync());
        }
    }

    void async() {
        Optional<Backend> backend = world.backends.any(random);
        Optional<Backend> producer = world.backends.any(random);
        if (backend.isEmpty() || producer.isEmpty()) {
            return;
        }
        BoundTensor tensor = anyTensor();
        MemorySegment bytes = Arena.ofAuto().allocate(Math.min(tensor.byteSize(), 64), 64);
        switch (random.nextInt(6)) {
            case 0 -> backend.get().setAsync(tensor, 0, bytes);
            case 1 -> backend.get().getAsync(tensor, 0, bytes);
            case 2 -> backend.get().fillAsync(tensor, 0, bytes.byteSize(), (byte) 0);
            case 3 -> backend.get().tryCopyAsync(producer.get(), tensor, anyTensor());
            case 4 -> backend.get().getRowsAsync(tensor, rows(), bytes, rows());
            default -> backend.get().copyAsync(producer.get(), tensor, anyTensor());
        }
    }

    void event() throws Exception {
        Optional<Backend> backend = world.backends.any(random);
        switch (random.nextInt(5)) {
            case 0 -> world.events.closeAny(random);
            case 1 -> {
                Device device = world.anyDevice(random);
                if (device.capabilities().contains(Capability.EVENTS)) {
                    world.events.put(random, device.createEvent());
                }
            }
            case 2 -> world.events.any(random).ifPresent(it -> it.synchronize());
            case 3 -> world.events.any(random).ifPresent(it -> backend.ifPresent(b -> b.record(it)));
            default -> world.events.any(random).ifPresent(it -> backend.ifPresent(b -> b.await(it)));
        }
    }
}
