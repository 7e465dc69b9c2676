package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.error.DeviceException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A backend belongs to no thread, but takes calls from one at a time. */
final class ThreadChecks {

    private ThreadChecks() {}

    static List<Check> of(Device device, Device reference) {
        return new CheckGroup("threads", device, reference)
                .add("a backend may go from one thread to another", ThreadChecks::handedOver)
                .add("a call while another thread is inside one is refused", ThreadChecks::refused)
                .add("backends in threads of their own do not disturb each other", ThreadChecks::together)
                .checks();
    }

    /** What a thread of its own makes of a call; its exception where it throws. */
    private static <T> T elsewhere(Callable<T> call) throws Exception {
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            return result(thread.submit(call));
        }
    }

    private static <T> T result(Future<T> future) throws Exception {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private static void handedOver(CheckFixture fixture) throws Exception {
        Backend backend = elsewhere(fixture::open);
        SampleGraph sample = fixture.brief();
        float[] input = sample.input(1);
        float[] output = sample.output();
        backend.setAsync(sample.x(), 0, MemorySegment.ofArray(input));
        elsewhere(() -> {
            backend.computeAsync(sample.graph());
            return sample;
        });
        backend.getAsync(sample.y(), 0, MemorySegment.ofArray(output));
        elsewhere(() -> {
            backend.synchronize();
            return sample;
        });
        SampleGraph.verify(fixture.expected(sample, input), output, "submitted by two threads, waited for by a third");
    }

    private static void refused(CheckFixture fixture) throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CompletableFuture<Thread> inside = new CompletableFuture<>();
        BackendOptions options = BackendOptions.defaults().withAbort(() -> {
            inside.complete(Thread.currentThread());
            return awaitQuietly(release);
        });
        SampleGraph sample = fixture.brief();
        try (Backend backend = fixture.device().open(options);
                ExecutorService executor = Executors.newSingleThreadExecutor()) {
            CompletableFuture<Thread> caller = new CompletableFuture<>();
            Future<Boolean> run = executor.submit(() -> {
                caller.complete(Thread.currentThread());
                backend.computeAsync(sample.graph());
                inside.complete(null);
                return true;
            });
            try {
                // Where the work is done by a thread of the device, the caller has left the call long before.
                @Nullable Thread asked = inside.get();
                if (!caller.get().equals(asked)) {
                    throw new CheckSkipped(
                            "its calls return before the work is done, or it does not ask between nodes");
                }
                Verify.refused(DeviceException.class, "a call from a second thread", backend::synchronize);
            } finally {
                release.countDown();
                result(run);
            }
            backend.synchronize();
        }
    }

    private static boolean awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private static void together(CheckFixture fixture) throws Exception {
        int threads = 4;
        List<SampleGraph> samples = new ArrayList<>();
        List<Future<double[]>> runs = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (int i = 0; i < threads; i++) {
                SampleGraph sample = fixture.brief();
                samples.add(sample);
                runs.add(executor.submit(() -> repeated(fixture.device(), sample)));
            }
            for (int i = 0; i < threads; i++) {
                double[] expected =
                        fixture.expected(samples.get(i), samples.get(i).input(9));
                SampleGraph.verify(expected, result(runs.get(i)), "thread " + i);
            }
        }
    }

    private static double[] repeated(Device device, SampleGraph sample) {
        try (Backend backend = device.open()) {
            for (int i = 0; i < 9; i++) {
                sample.compute(backend, sample.input(i));
            }
            return sample.compute(backend, sample.input(9));
        }
    }
}
