package dev.stowage.cpu.stress;

import dev.stowage.device.Backend;
import dev.stowage.memory.TensorData;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.PipelineCopies;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** What a thread does to schedulers and bound schedules that all threads share. */
final class ScheduleOperations {

    private final World world;
    private final Random random;

    ScheduleOperations(World world, Random random) {
        this.world = world;
        this.random = random;
    }

    void scheduler() throws Exception {
        Optional<Scheduler> scheduler = world.schedulers.any(random);
        Optional<BoundSchedule> bound = world.schedules.any(random);
        switch (random.nextInt(10)) {
            case 0 -> world.schedulers.closeAny(random);
            case 1 -> open();
            case 2 -> scheduler.ifPresent(Scheduler::synchronize);
            case 3 ->
                scheduler.ifPresent(it -> it.reserve(world.anySample(random).graph()));
            case 4 ->
                scheduler.ifPresent(it -> it.measure(world.anySample(random).graph()));
            case 5, 6 -> {
                if (scheduler.isPresent() && bound.isPresent()) {
                    world.schedules.put(
                            random,
                            scheduler
                                    .get()
                                    .rebind(bound.get(), world.anySample(random).graph()));
                }
            }
            default -> {
                if (scheduler.isPresent()) {
                    world.schedules.put(
                            random, scheduler.get().bind(world.anySample(random).graph()));
                }
            }
        }
    }

    private void open() throws Exception {
        List<Backend> backends = new ArrayList<>();
        for (int i = random.nextInt(1, 3); i > 0; i--) {
            world.backends.any(random).filter(it -> !backends.contains(it)).ifPresent(backends::add);
        }
        world.schedulers.put(random, Scheduler.over(backends, options(random)));
    }

    static ScheduleOptions options(Random random) {
        ScheduleOptions options = ScheduleOptions.defaults().withPipeline(random.nextInt(1, 4));
        options = random.nextBoolean() ? options.withEvents() : options;
        return random.nextBoolean() ? options.withPipelineCopies(PipelineCopies.WHERE_NEEDED) : options;
    }

    void run() throws Exception {
        Optional<BoundSchedule> bound = world.schedules.any(random);
        if (bound.isEmpty()) {
            return;
        }
        switch (random.nextInt(8)) {
            case 0 -> world.schedules.closeAny(random);
            case 1 -> bound.get().advance();
            case 2, 3 -> bound.get().runAsync();
            case 4 -> {
                StressSample sample = world.samples.stream()
                        .filter(it -> it.graph() == bound.get().graph())
                        .findFirst()
                        .orElseThrow();
                TensorData.setFloats(bound.get().tensor(sample.x()), sample.vector(random));
            }
            default -> bound.get().run();
        }
    }
}
