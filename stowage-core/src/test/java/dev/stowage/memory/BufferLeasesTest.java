package dev.stowage.memory;

import static dev.stowage.memory.FakeMemory.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.ClosedException;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BufferLeasesTest {

    private static final int USERS = 3;
    private static final int ROUNDS = 20;

    private final FakeMemory memory = FakeMemory.aligned(64);
    private final FakeMemory.FakeBuffer buffer = memory.allocate(64);
    private final BufferLeases leases = new BufferLeases();

    private boolean isReleased() {
        return memory.open.isEmpty();
    }

    @Test
    void keepTheMemoryOfABufferThatIsClosedUntilTheyEnd() {
        leases.add(buffer);
        buffer.close();
        assertThat(isReleased()).isFalse();

        leases.releaseAll();
        assertThat(isReleased()).isTrue();
    }

    @Test
    void ofAGroupAreTakenAgainOnceTheyHaveEnded() {
        Buffer other = memory.allocate(64);
        BufferGroup group = BufferGroup.of(new Buffer[] {buffer, other, buffer});
        leases.addAll(group);
        leases.addAll(group);
        leases.releaseAll();
        leases.addAll(group);
        buffer.close();
        other.close();
        assertThat(memory.open).hasSize(2);

        leases.releaseAll();
        assertThat(isReleased()).isTrue();
    }

    @Test
    void ofAGroupAreRefusedOnceOneOfItsBuffersIsClosedThoughTheOthersAreHeld() {
        Buffer other = memory.allocate(64);
        BufferGroup group = BufferGroup.of(new Buffer[] {buffer, other});
        leases.addAll(group);
        other.close();

        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> leases.addAll(group));
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> leases.addAll(group));
    }

    @Test
    void ofAGroupKeepTheMemoryOfABufferThatIsClosedUntilTheyEnd() {
        BufferLeases others = new BufferLeases();
        BufferGroup group = BufferGroup.of(new Buffer[] {buffer});
        leases.addAll(group);
        others.addAll(group);
        buffer.close();
        leases.releaseAll();
        assertThat(isReleased()).isFalse();

        others.releaseAll();
        assertThat(isReleased()).isTrue();
    }

    @Test
    void ofAGroupThatHaveEndedDoNotKeepTheMemory() {
        leases.addAll(BufferGroup.of(new Buffer[] {buffer}));
        leases.releaseAll();
        buffer.close();

        assertThat(isReleased()).isTrue();
    }

    @Test
    void ofAGroupAskABufferThatDependsOnSomethingElseEveryTime() {
        AtomicInteger asked = new AtomicInteger();
        Buffer dependent = new CountingBuffer(memory) {
            @Override
            protected void onAcquire() {
                asked.incrementAndGet();
            }
        };
        BufferGroup group = BufferGroup.of(new Buffer[] {buffer, dependent});
        for (int run = 0; run < 3; run++) {
            leases.addAll(group);
            leases.releaseAll();
        }

        assertThat(asked).hasValue(3);
    }

    @Test
    void endAllTogether() {
        Buffer other = memory.allocate(64);
        leases.add(buffer);
        leases.add(other);
        buffer.close();
        other.close();
        assertThat(memory.open).hasSize(2);

        leases.releaseAll();
        assertThat(isReleased()).isTrue();
    }

    @Test
    void ofSeveralKeepTheMemoryUntilTheLastEnds() {
        BufferLeases others = new BufferLeases();
        leases.add(buffer);
        others.add(buffer);
        buffer.close();
        leases.releaseAll();
        assertThat(isReleased()).isFalse();

        others.releaseAll();
        assertThat(isReleased()).isTrue();
    }

    @Test
    void takeOneOnABufferHoweverOftenItIsAdded() {
        leases.add(buffer);
        leases.add(buffer);
        leases.releaseAll();
        buffer.close();

        assertThat(isReleased()).isTrue();
    }

    @Test
    void haveABufferThatIsNotClosedStayOpen() {
        leases.add(buffer);
        leases.releaseAll();
        leases.releaseAll();

        assertThat(buffer.isClosed()).isFalse();
        assertThat(isReleased()).isFalse();
    }

    @Test
    void doNotKeepAClosedBufferUsable() {
        Tensor tensor = bytes("a", 8);
        buffer.place(tensor, 0);
        leases.add(buffer);
        buffer.close();

        assertThat(buffer.isClosed()).isTrue();
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> new BufferLeases().add(buffer));
        assertThatExceptionOfType(ClosedException.class)
                .as("a lease that is there already")
                .isThrownBy(() -> leases.add(buffer));
        assertThatExceptionOfType(ClosedException.class)
                .isThrownBy(() -> buffer.get(tensor, 0, MemorySegment.ofArray(new byte[8])));
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> buffer.place(bytes("b", 8), 0));
    }

    @Test
    void ofABufferThatIsClosedTwiceReleaseItOnce() {
        leases.add(buffer);
        buffer.close();
        buffer.close();
        leases.releaseAll();
        memory.failsOnRelease = true;
        buffer.close();

        assertThat(isReleased()).isTrue();
    }

    @Test
    void areNotTakenWhereTheMemoryCannotBeUsedNow() {
        UnusableBuffer unusable = new UnusableBuffer(memory);
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> leases.add(unusable));
        unusable.close();

        assertThat(unusable.released).hasValue(1);
    }

    @Test
    void mayBeTakenAfterTheyEnded() {
        leases.add(buffer);
        leases.releaseAll();
        leases.add(buffer);
        buffer.close();
        assertThat(isReleased()).isFalse();

        leases.releaseAll();
        assertThat(isReleased()).isTrue();
    }

    /** Threads take and end leases while another closes: memory is never released under a lease, and always once. */
    @Test
    void holdWhenThreadsTakeThemAndCloseAtOnce() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(USERS)) {
            for (long seed = 0; seed < 1000; seed++) {
                CountingBuffer counting = new CountingBuffer(memory);
                CyclicBarrier start = new CyclicBarrier(USERS + 1);
                List<Future<?>> users = new ArrayList<>();
                for (int user = 0; user < USERS; user++) {
                    Random random = new Random(seed * USERS + user);
                    users.add(threads.submit(() -> use(counting, start, random)));
                }
                start.await();
                counting.close();
                counting.close();
                for (Future<?> user : users) {
                    user.get();
                }

                assertThat(counting.released).as("seed %d", seed).hasValue(1);
                assertThat(counting.usedAfterRelease).as("seed %d", seed).hasValue(0);
            }
        }
    }

    /** Some have a lease when the buffer is closed, the others may still get one; alone or as a part of a group. */
    private static int use(CountingBuffer buffer, CyclicBarrier start, Random random) throws Exception {
        BufferLeases own = new BufferLeases();
        BufferGroup group = BufferGroup.of(new Buffer[] {buffer});
        boolean isHeld = random.nextBoolean() && tryAdd(own, buffer, group, random.nextBoolean());
        start.await();
        for (int round = 0; round < ROUNDS; round++) {
            isHeld |= tryAdd(own, buffer, group, random.nextBoolean());
            if (isHeld) {
                buffer.look();
            }
            if (random.nextInt(3) > 0) {
                own.releaseAll();
                isHeld = false;
            }
        }
        own.releaseAll();
        return ROUNDS;
    }

    private static boolean tryAdd(BufferLeases leases, Buffer buffer, BufferGroup group, boolean asGroup) {
        try {
            if (asGroup) {
                leases.addAll(group);
            } else {
                leases.add(buffer);
            }
            return true;
        } catch (ClosedException e) {
            assertThat(buffer.isClosed()).isTrue();
            return false;
        }
    }

    /** Counts how often it is released, and looks at it after that. */
    private static class CountingBuffer extends Buffer {

        final AtomicInteger released = new AtomicInteger();
        final AtomicInteger usedAfterRelease = new AtomicInteger();

        CountingBuffer(BufferType type) {
            super(type, 64);
        }

        /** What a kernel does, which has a lease. */
        void look() {
            for (int i = 0; i < 20; i++) {
                usedAfterRelease.addAndGet(released.get());
                Thread.onSpinWait();
            }
        }

        @Override
        protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {}

        @Override
        protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {}

        @Override
        protected void doMemset(long offset, long length, byte value) {}

        @Override
        protected void doClose() {
            released.incrementAndGet();
        }
    }

    /** Memory whose owner has taken it away. */
    private static final class UnusableBuffer extends CountingBuffer {

        UnusableBuffer(BufferType type) {
            super(type);
        }

        @Override
        protected void onAcquire() {
            throw new ClosedException("its owner has taken it away");
        }
    }
}
