package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.stowage.error.DeviceException;
import dev.stowage.error.RunException;
import dev.stowage.error.StowageException;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.Split;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.CallKind;
import dev.stowage.testkit.simulated.FaultKind;
import dev.stowage.testkit.simulated.Faults;
import dev.stowage.testkit.simulated.SimulatedDevice;
import dev.stowage.testkit.simulated.Work;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One fault at a random call of a run, a thousand times over: it is reported once, and the next run is right. */
@Timeout(300)
class RunFaultsTest {

    private static final int SEEDS = Integer.getInteger("stowage.seeds", 1000);
    private static final Set<Feature> FEATURES = EnumSet.of(Feature.EXPERTS, Feature.REWRITES);

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    @Test
    void aFaultIsReportedOnceAndLeavesTheSchedulerUsable() {
        int inKernels = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            inKernels += meetFault(seed) ? 1 : 0;
        }
        assertThat(inKernels).as("faults in kernels").isBetween(SEEDS / 5, SEEDS - SEEDS / 10);
    }

    /** Lets a run of a random program fail; whether it was in a kernel. */
    private static boolean meetFault(long seed) {
        Random random = new Random(seed);
        int nodes = 5 + random.nextInt(20);
        List<SimulatedDevice> devices = RandomDevices.draw(random);
        ScheduleOptions options = RandomProgramsTest.options(random);
        List<List<float[]>> expected = OneDevice.outputs(RandomProgram.of(seed, FEATURES, nodes), 2);
        RandomProgram program = RandomProgram.of(seed, FEATURES, nodes);
        Faults.Injected injected;
        try (SpreadProgram spread = new SpreadProgram(program, devices, options, random)) {
            SimulatedDevice struck = spread.planFault(random);
            injected = fail(seed, spread, struck);
            program.writeState();
            List<List<float[]>> found = new ArrayList<>();
            found.add(spread.run(0));
            found.add(spread.run(1));
            assertThat(OneDevice.bits(found)).as("seed %d", seed).isEqualTo(OneDevice.bits(expected));
        }
        for (SimulatedDevice device : devices) {
            assertThat(List.of(device.openBuffers(), device.openBackends(), device.openEvents()))
                    .as("seed %d, buffers, backends and events of %s", seed, device)
                    .containsOnly(0);
            assertThat(device.openBytes())
                    .as("seed %d, bytes of %s", seed, device)
                    .isZero();
        }
        return injected.work().kind() == CallKind.COMPUTE;
    }

    /** A fault while several runs of a pipeline are in flight; their results are not read. */
    @Test
    void aFaultAmongRunsInFlightIsReportedOnce() {
        for (long seed = 0; seed < SEEDS / 4; seed++) {
            Random random = new Random(seed);
            int nodes = 5 + random.nextInt(20);
            ScheduleOptions options = RandomProgramsTest.options(random).withPipeline(3);
            List<List<float[]>> expected = OneDevice.outputs(RandomProgram.of(seed, FEATURES, nodes), 2);
            RandomProgram program = RandomProgram.of(seed, FEATURES, nodes);
            List<SimulatedDevice> devices = RandomDevices.draw(random);
            try (SpreadProgram spread = new SpreadProgram(program, devices, options, random)) {
                SimulatedDevice struck = spread.planFault(random);
                List<StowageException> reported = spread.runAllAhead(5);
                Thread.interrupted();
                Faults.Injected injected = struck.faults().injected().getFirst();
                struck.faults().clear();
                assertThat(reported.stream()
                                .map(RunFaultsTest::all)
                                .flatMap(Set::stream)
                                .filter(each -> isAbout(each, injected.work()))
                                .count())
                        .as("seed %d: %s reported by %s", seed, injected, reported)
                        .isBetween(1L, injected.fault() == FaultKind.HANG ? Long.MAX_VALUE : 1L);
                program.writeState();
                List<List<float[]>> found = List.of(spread.run(0), spread.run(1));
                assertThat(OneDevice.bits(found)).as("seed %d", seed).isEqualTo(OneDevice.bits(expected));
            }
        }
    }

    private static Faults.Injected fail(long seed, SpreadProgram spread, SimulatedDevice struck) {
        int buffers = struck.openBuffers();
        int events = struck.openEvents();
        Schedule schedule = spread.schedule();
        @Nullable Throwable failure = catchThrowable(spread::runBound);
        Thread.interrupted();
        assertThat(struck.faults().injected()).as("seed %d", seed).hasSize(1);
        Faults.Injected injected = struck.faults().injected().getFirst();
        assertThat(failure).as("seed %d, %s", seed, injected).isInstanceOf(RunException.class);
        long reported = all(failure).stream()
                .filter(each -> isAbout(each, injected.work()))
                .count();
        // Who is interrupted because a call hangs may be at a call of the same kind.
        assertThat(reported)
                .as("seed %d: %s reported by %s", seed, injected, all(failure))
                .isBetween(1L, injected.fault() == FaultKind.HANG ? Long.MAX_VALUE : 1L);
        isNamed(seed, schedule, injected, (RunException) failure);
        assertThatCode(() -> spread.scheduler().synchronize())
                .as("seed %d", seed)
                .doesNotThrowAnyException();
        assertThat(struck.openBuffers()).as("seed %d", seed).isEqualTo(buffers);
        assertThat(struck.openEvents()).as("seed %d", seed).isEqualTo(events);
        struck.faults().clear();
        return injected;
    }

    /** By the split that computes the node or copies the tensor; an event may fail when no split is running. */
    private static void isNamed(long seed, Schedule schedule, Faults.Injected injected, RunException failure) {
        boolean isKnown = injected.work().tensor().isPresent() && injected.fault() != FaultKind.HANG;
        assertThat(failure.split())
                .as("seed %d: %s", seed, failure)
                .isBetween(isKnown ? 0 : -1, schedule.splitCount() - 1);
        if (injected.work().kind() == CallKind.COMPUTE && injected.fault() != FaultKind.HANG) {
            Tensor node = injected.work().tensor().orElseThrow();
            Split split = schedule.split(failure.split());
            assertThat(failure.node()).as("seed %d", seed).contains(node.describe());
            assertThat(failure.device())
                    .as("seed %d", seed)
                    .isEqualTo(injected.work().device());
            assertThat(schedule.graph().nodes().subList(split.firstNode(), split.endNode()))
                    .as("seed %d: %s", seed, failure)
                    .extracting(Tensor::describe)
                    .contains(node.describe());
        }
    }

    private static Set<Throwable> all(@Nullable Throwable failure) {
        Set<Throwable> all = Collections.newSetFromMap(new IdentityHashMap<>());
        collect(failure, all);
        return all;
    }

    private static void collect(@Nullable Throwable failure, Set<Throwable> all) {
        if (failure != null && all.add(failure)) {
            collect(failure.getCause(), all);
            Arrays.stream(failure.getSuppressed()).forEach(suppressed -> collect(suppressed, all));
        }
    }

    /** Whether it says itself what went wrong there, and not that something it waited for did. */
    private static boolean isAbout(Throwable failure, Work work) {
        return failure instanceof DeviceException reported
                && !(reported.getCause() instanceof DeviceException)
                && reported.device().equals(work.device())
                && reported.call().equals(work.kind().name().toLowerCase(Locale.ROOT))
                && reported.tensor().equals(work.tensor().map(Tensor::describe));
    }
}
