package dev.stowage.testkit.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stowage.error.DeviceException;
import dev.stowage.error.StowageException;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One fault of a random kind at a random call, a thousand times over. */
@Timeout(600)
class RandomFaultsTest {

    private static final int RUNS = 1000;

    private final SimulatedDevice first = SimulatedDevice.named("gpu0").build();
    private final SimulatedDevice second = SimulatedDevice.named("gpu1").build();

    private List<SimulatedDevice> devices() {
        return List.of(first, second);
    }

    private long calls(SimulatedDevice device) {
        long before = device.faults().calls();
        try (Pipeline pipeline = new Pipeline(first, second)) {
            pipeline.run(new float[6], new float[6]);
        }
        return device.faults().calls() - before;
    }

    /** Everything opened anew for each run: nothing of it may be left. */
    @Test
    void everyFaultIsReportedAndNothingStaysOpen() {
        long[] calls = {calls(first), calls(second)};
        for (long seed = 0; seed < RUNS; seed++) {
            Random random = new Random(seed);
            int struck = random.nextInt(2);
            SimulatedDevice device = devices().get(struck);
            plan(device, random, calls[struck]);
            float[] values = Parts.random(random, 6);
            float[] weights = Parts.random(random, 6);

            RuntimeException failure = catchThrowableOfType(RuntimeException.class, () -> {
                try (Pipeline pipeline = new Pipeline(first, second)) {
                    pipeline.run(values, weights);
                }
            });
            Thread.interrupted();

            assertThat(failure).as("seed %d", seed).isNotNull();
            isReportedOnce(seed, device, failure);
            nothingIsOpen(seed);
            device.faults().clear();
            try (Pipeline pipeline = new Pipeline(first, second)) {
                assertThat(pipeline.run(values, weights))
                        .as("seed %d", seed)
                        .allSatisfy(result -> assertThat(result).containsExactly(Pipeline.expected(values, weights)));
            }
            nothingIsOpen(seed);
        }
    }

    /** The same backends, buffers and events from the first run to the last. */
    @Test
    void theSameBackendsWorkAfterEveryFault() {
        try (Pipeline pipeline = new Pipeline(first, second)) {
            long[] before = {first.faults().calls(), second.faults().calls()};
            pipeline.run(new float[6], new float[6]);
            long[] calls = {first.faults().calls() - before[0], second.faults().calls() - before[1]};
            for (long seed = 0; seed < RUNS; seed++) {
                Random random = new Random(seed);
                int struck = random.nextInt(2);
                SimulatedDevice device = devices().get(struck);
                plan(device, random, calls[struck]);
                float[] values = Parts.random(random, 6);
                float[] weights = Parts.random(random, 6);

                List<StowageException> reported = new ArrayList<>();
                try {
                    pipeline.run(values, weights);
                } catch (StowageException e) {
                    reported.add(e);
                }
                reported.addAll(pipeline.drainFailures());
                Thread.interrupted();

                isReportedOnce(seed, device, reported.toArray(RuntimeException[]::new));
                assertThat(pipeline.drainFailures()).as("seed %d", seed).isEmpty();
                device.faults().clear();
                assertThat(pipeline.run(values, weights))
                        .as("seed %d", seed)
                        .allSatisfy(result -> assertThat(result).containsExactly(Pipeline.expected(values, weights)));
            }
        }
        nothingIsOpen(RUNS);
    }

    private static void plan(SimulatedDevice device, Random random, long calls) {
        FaultKind[] kinds = FaultKind.values();
        device.faults()
                .failAny(1 + random.nextLong(calls), kinds[random.nextInt(kinds.length)])
                .onHang(Thread.currentThread()::interrupt);
    }

    /** Among the failures and their causes, just one is about the call that was struck. */
    private static void isReportedOnce(long seed, SimulatedDevice device, RuntimeException... failures) {
        assertThat(device.faults().injected()).as("seed %d", seed).hasSize(1);
        Faults.Injected injected = device.faults().injected().getFirst();
        Set<Throwable> all = Collections.newSetFromMap(new IdentityHashMap<>());
        Arrays.stream(failures).forEach(failure -> collect(failure, all));
        assertThat(all.stream().filter(failure -> isAbout(failure, injected.work())))
                .as("seed %d: %s reported by %s", seed, injected, all)
                .hasSize(1);
    }

    private static void collect(@Nullable Throwable failure, Set<Throwable> all) {
        if (failure != null && all.add(failure)) {
            collect(failure.getCause(), all);
            Arrays.stream(failure.getSuppressed()).forEach(suppressed -> collect(suppressed, all));
        }
    }

    private static boolean isAbout(Throwable failure, Work work) {
        if (work.kind() == CallKind.ALLOCATE) {
            return failure instanceof StowageException
                    && !(failure.getCause() instanceof StowageException)
                    && String.valueOf(failure.getMessage()).contains(work.device());
        }
        return failure instanceof DeviceException reported
                && reported.device().equals(work.device())
                && reported.call().equals(work.kind().label())
                && reported.tensor().equals(work.tensor().map(Tensor::describe))
                && isOrigin(reported);
    }

    /** Whether it says what went wrong itself, and not that something it waited for did. */
    private static boolean isOrigin(DeviceException reported) {
        return !(reported.getCause() instanceof DeviceException);
    }

    private void nothingIsOpen(long seed) {
        for (SimulatedDevice device : devices()) {
            assertThat(List.of(device.openBuffers(), device.openBackends(), device.openEvents()))
                    .as("seed %d, buffers, backends and events of %s", seed, device)
                    .containsOnly(0);
            assertThat(device.openBytes()).as("seed %d, %s", seed, device).isZero();
        }
    }
}
