package dev.stowage.cpu.stress;

import dev.stowage.error.StowageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The main class of a process in which several threads open, run and close everything in random order. A call may be
 * refused with an exception of the library and with nothing else; a run that is not refused, in memory that no other thread
 * knows, has the right result.
 */
public final class StressProcess {

    private static final int THREADS = 4;
    private static final int FILE_BYTES = 1 << 16;

    /** One thing to do, which may be refused. */
    @FunctionalInterface
    private interface Operation {
        void run() throws Exception;
    }

    private final World world;
    private final long seed;
    private final long operations;
    private final Map<String, Long> outcomes = new TreeMap<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean stop = new AtomicBoolean();

    private StressProcess(World world, long seed, long operations) {
        this.world = world;
        this.seed = seed;
        this.operations = operations;
    }

    /** Takes a seed and the number of operations. */
    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("stowage-stress", ".bin");
        int exit = 1;
        try {
            Files.write(file, new byte[FILE_BYTES]);
            StressProcess process =
                    new StressProcess(new World(file), Long.parseLong(args[0]), Long.parseLong(args[1]));
            exit = process.run() ? 0 : 1;
        } finally {
            Files.delete(file);
            System.out.flush();
            System.exit(exit);
        }
    }

    private boolean run() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            threads.add(Thread.ofPlatform().name("stress-" + i).start(() -> work(number)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        outcomes.forEach((outcome, count) -> System.out.println(outcome + ": " + count));
        if (failures.isEmpty()) {
            closeAll();
        }
        failures.forEach(failure -> failure.printStackTrace(System.out));
        return failures.isEmpty();
    }

    private void closeAll() {
        try {
            world.close();
        } catch (Exception | AssertionError e) {
            failures.add(new AssertionError("seed " + seed + ": closing everything", e));
        }
    }

    private void work(int number) {
        Random random = new Random(seed * THREADS + number);
        List<Operation> kinds = kinds(random);
        Map<String, Long> counts = new TreeMap<>();
        for (long i = 0; i < operations / THREADS && !stop.get(); i++) {
            int kind = random.nextInt(kinds.size());
            String outcome = "done";
            try {
                kinds.get(kind).run();
            } catch (StowageException e) {
                outcome = e.getClass().getSimpleName();
            } catch (Throwable e) {
                failures.add(new AssertionError(
                        "seed " + seed + ", thread " + number + ", operation " + i + " of kind " + kind, e));
                stop.set(true);
            }
            counts.merge(outcome, 1L, Long::sum);
        }
        synchronized (outcomes) {
            counts.forEach((outcome, count) -> outcomes.merge(outcome, count, Long::sum));
        }
    }

    private List<Operation> kinds(Random random) {
        Operations shared = new Operations(world, random);
        ScheduleOperations scheduled = new ScheduleOperations(world, random);
        VerifiedRuns own = new VerifiedRuns(world, random);
        return List.of(
                shared::arena,
                shared::buffer,
                shared::buffer,
                shared::transfer,
                shared::transfer,
                shared::weight,
                shared::allocator,
                shared::allocator,
                shared::allocator,
                shared::backend,
                shared::compute,
                shared::compute,
                shared::compute,
                shared::prepared,
                shared::prepared,
                shared::async,
                shared::async,
                shared::event,
                scheduled::scheduler,
                scheduled::scheduler,
                scheduled::run,
                scheduled::run,
                own::onSharedBackend,
                own::onOwnBackend,
                own::scheduled,
                own::overForeignArena);
    }
}
