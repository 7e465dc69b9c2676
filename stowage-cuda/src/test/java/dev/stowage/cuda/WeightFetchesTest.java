package dev.stowage.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cuda.driver.CudaErrors;
import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver.Stream;
import dev.stowage.cuda.memory.DeviceContext;
import dev.stowage.cuda.memory.PinnedBuffer;
import dev.stowage.cuda.memory.PinnedType;
import dev.stowage.cuda.recording.RecordingDriver;
import dev.stowage.error.DeviceException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Weights arrive where they belong, in order, whatever was announced; nothing stays taken. */
class WeightFetchesTest {

    private static final long RING = 4096;
    private static final long CHUNK = 700;
    private static final int WEIGHTS = 12;

    private final RecordingDriver driver = new RecordingDriver(1L << 20);
    private final DeviceContext device = new DeviceContext(driver, 0, "cuda0");
    private final PinnedType pinnedType = new PinnedType(device);

    @AfterEach
    void everythingIsGivenBack() {
        device.close();
        assertThat(driver.leaks()).isEmpty();
        assertThat(driver.violations()).isEmpty();
    }

    /** Weights of random sizes, some longer than the ring, and one target that all of them are copied to in turn. */
    private final class Weights implements AutoCloseable {
        private final PinnedBuffer pinned = (PinnedBuffer) pinnedType.allocate(1 << 16);
        private final long[] offsets = new long[WEIGHTS];
        private final int[] sizes = new int[WEIGHTS];
        private final long target = device.allocate("test", 1 << 13);
        private final Stream stream = device.createStream("test");
        private final WeightFetches fetches;
        private final PinnedBuffer results = (PinnedBuffer) pinnedType.allocate(1 << 18);
        private long resultEnd;
        private final List<MemorySegment> found = new ArrayList<>();
        private final List<Integer> copied = new ArrayList<>();

        Weights(Random random, long ring) {
            this(random, ring, 5000);
        }

        Weights(Random random, long ring, int largest) {
            fetches = new WeightFetches(device, stream, ring, CHUNK);
            byte[] bytes = new byte[1 << 16];
            random.nextBytes(bytes);
            pinned.segment().copyFrom(MemorySegment.ofArray(bytes));
            long at = 0;
            for (int i = 0; i < WEIGHTS; i++) {
                offsets[i] = at;
                sizes[i] = 1 + random.nextInt(random.nextInt(4) == 0 ? largest : 1400);
                at += sizes[i];
            }
        }

        boolean announce(int weight) {
            return fetches.announce(pinned, pinned.segment().address() + offsets[weight], sizes[weight]);
        }

        /** Copies a weight to the target, and from there to where it is compared later. */
        void copy(int weight) {
            fetches.copy(target, pinned, pinned.segment().address() + offsets[weight], sizes[weight]);
            MemorySegment host = results.segment().asSlice(resultEnd, sizes[weight]);
            resultEnd += sizes[weight];
            driver.memcpyDtoHAsync(device.handle(), host.address(), target, sizes[weight], stream);
            found.add(host);
            copied.add(weight);
        }

        void synchronize() {
            driver.streamSynchronize(device.handle(), stream);
            fetches.synchronize();
        }

        void verify(String what) {
            synchronize();
            for (int i = 0; i < copied.size(); i++) {
                int weight = copied.get(i);
                assertThat(found.get(i).toArray(ValueLayout.JAVA_BYTE))
                        .as("%s, copy %d, weight %d", what, i, weight)
                        .isEqualTo(pinned.segment()
                                .asSlice(offsets[weight], sizes[weight])
                                .toArray(ValueLayout.JAVA_BYTE));
            }
        }

        @Override
        public void close() {
            if (device.health().lossCause().isEmpty()) {
                driver.streamSynchronize(device.handle(), stream);
            }
            fetches.close();
            device.destroyStream(stream);
            device.free(target, 1 << 13);
            results.close();
            pinned.close();
        }
    }

    @Test
    void weightsArriveInOrderWhateverWasAnnounced() {
        for (int seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            try (Weights weights = new Weights(random, RING)) {
                int next = 0;
                for (int weight = 0; weight < 5 * WEIGHTS; weight++) {
                    next = Math.max(next, weight);
                    while (random.nextInt(3) > 0 && weights.announce(next % WEIGHTS)) {
                        next++;
                    }
                    weights.copy(weight % WEIGHTS);
                    if (random.nextInt(6) == 0) {
                        weights.synchronize();
                    }
                    if (random.nextInt(20) == 0) {
                        weights.fetches.cancel();
                        next = weight + 1;
                    }
                }
                weights.verify("seed " + seed);
            }
        }
    }

    @Test
    void anotherWeightThanAnnouncedIsCopiedNevertheless() {
        try (Weights weights = new Weights(new Random(1), RING, 1400)) {
            assertThat(weights.announce(0)).isTrue();
            weights.announce(1);
            weights.copy(5);
            weights.copy(0);
            weights.announce(3);
            weights.copy(3);
            weights.verify("out of order");
        }
    }

    @Test
    void noMoreIsAnnouncedThanThereIsRoomForUntilItIsCopied() {
        try (Weights weights = new Weights(new Random(2), RING, 1400)) {
            int taken = 0;
            while (weights.announce(taken)) {
                taken++;
            }
            assertThat(taken).isBetween(1, WEIGHTS - 1);
            assertThat(weights.announce(taken)).isFalse();
            for (int weight = 0; weight < taken; weight++) {
                weights.copy(weight);
            }
            assertThat(weights.announce(taken)).isTrue();
            weights.copy(taken);
            weights.verify("all");
        }
    }

    @Test
    void withoutMemoryForTheRingWeightsAreCopiedInTheStream() {
        try (Weights weights = new Weights(new Random(3), 1L << 21)) {
            assertThat(weights.announce(0)).isFalse();
            for (int weight = 0; weight < WEIGHTS; weight++) {
                weights.copy(weight);
            }
            weights.verify("direct");
            assertThat(driver.calls().stream().filter("cuMemAlloc"::equals)).hasSizeLessThanOrEqualTo(2);
        }
    }

    @Test
    void pinnedMemoryIsKeptWhileItIsBeingFetched() {
        Weights weights = new Weights(new Random(4), RING, 1400);
        assertThat(weights.announce(0)).isTrue();
        weights.synchronize();
        weights.pinned.close();
        assertThat(device.live().pinnedAllocations()).isEqualTo(2);
        weights.close();
        assertThat(device.live().pinnedAllocations()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 14, 23, 40})
    void aCallThatFailsIsReportedAndTheNextCopyIsRight(int nth) {
        try (Weights weights = new Weights(new Random(5), RING)) {
            weights.copy(0);
            driver.failCall(driver.calls().size() + nth, CudaErrors.OUT_OF_MEMORY);
            assertThatThrownBy(() -> {
                        for (int weight = 0; weight < WEIGHTS; weight++) {
                            weights.announce(weight);
                            weights.fetches.copy(
                                    weights.target,
                                    weights.pinned,
                                    weights.pinned.segment().address() + weights.offsets[weight],
                                    weights.sizes[weight]);
                        }
                    })
                    .isInstanceOfAny(CudaException.class, DeviceException.class);
            for (int weight = 0; weight < WEIGHTS; weight++) {
                weights.copy(weight);
            }
            weights.verify("after call " + nth);
        }
    }
}
