package dev.stowage.cpu.stress;

import dev.stowage.cpu.CpuProvider;
import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.Event;
import dev.stowage.device.PreparedGraph;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.Scheduler;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Everything the threads share. */
final class World {

    final Device cpu = new CpuProvider().devices().getFirst();
    final Device reference = new ReferenceProvider().devices().getFirst();
    final SimulatedDevice gpu = SimulatedDevice.named("gpu").build();
    final SimulatedDevice other =
            SimulatedDevice.named("other").withoutAddresses().build();
    final SimulatedDevice integrated = SimulatedDevice.named("integrated")
            .async(false)
            .events(false)
            .readingHostMemory()
            .build();
    final SimulatedDevice unified =
            SimulatedDevice.named("unified").hostMemory().readingHostMemory().build();
    final List<Device> devices = List.of(cpu, cpu, reference, gpu, other, integrated, unified);
    final List<StressSample> samples = List.of(
            StressSample.of(8, 1, false),
            StressSample.of(8, 2, true),
            StressSample.of(32, 3, false),
            StressSample.of(64, 1, true),
            StressSample.of(96, 2, false));
    final Path file;

    final Pool<Foreign> arenas = new Pool<>(3);
    final Pool<Buffer> buffers = new Pool<>(8);
    final Pool<GraphAllocator> allocators = new Pool<>(5);
    final Pool<Backend> backends = new Pool<>(8);
    final Pool<PreparedGraph> prepared = new Pool<>(8);
    final Pool<Scheduler> schedulers = new Pool<>(4);
    final Pool<BoundSchedule> schedules = new Pool<>(6);
    final Pool<Event> events = new Pool<>(4);
    private final AtomicReferenceArray<@Nullable BoundGraph> bound = new AtomicReferenceArray<>(10);

    /** A foreign arena, as threads that know nothing of buffers over it use and close it. */
    record Foreign(Arena arena) implements AutoCloseable {

        @Override
        public void close() {
            if (arena.scope().isAlive()) {
                arena.close();
            }
        }
    }

    World(Path file) {
        this.file = file;
    }

    StressSample anySample(Random random) {
        return samples.get(random.nextInt(samples.size()));
    }

    Device anyDevice(Random random) {
        return devices.get(random.nextInt(devices.size()));
    }

    void put(Random random, BoundGraph graph) {
        bound.set(random.nextInt(bound.length()), graph);
    }

    Optional<BoundGraph> anyBound(Random random) {
        return Optional.ofNullable(bound.get(random.nextInt(bound.length())));
    }

    /** Closes everything, and checks that nothing is left. */
    void close() throws Exception {
        schedules.closeAll();
        schedulers.closeAll();
        prepared.closeAll();
        backends.closeAll();
        events.closeAll();
        allocators.closeAll();
        buffers.closeAll();
        for (StressSample sample : samples) {
            if (sample.matrix().isPlaced()) {
                Buffer.of(sample.matrix()).close();
            }
        }
        for (SimulatedDevice device : List.of(gpu, other, integrated, unified)) {
            if (device.openBuffers() + device.openBackends() + device.openEvents() > 0) {
                throw new AssertionError(device.name() + " has " + device.openBuffers() + " buffers, "
                        + device.openBackends() + " backends and " + device.openEvents() + " events left");
            }
        }
        requireNoPins();
        arenas.closeAll();
    }

    private static void requireNoPins() {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("stowage-arena-pin")) {
                throw new AssertionError("an arena is kept open although all buffers are closed");
            }
        }
    }
}
