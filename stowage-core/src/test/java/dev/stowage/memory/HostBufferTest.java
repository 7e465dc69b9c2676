package dev.stowage.memory;

import static dev.stowage.memory.FakeMemory.bytes;
import static dev.stowage.memory.FakeMemory.isAt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostBufferTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 16, 64, 4096, 1 << 20})
    void beginsAtAnAlignedAddress(long alignment) {
        HostBufferType type = HostBufferType.standard().withAlignment(alignment);
        for (long size : new long[] {0, 1, 63, 1000}) {
            try (Buffer buffer = type.allocate(size)) {
                assertThat(buffer.address() % alignment).as("size %d", size).isZero();
                assertThat(buffer.size()).isEqualTo(size);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, -64, 3, 48, 65, Long.MIN_VALUE, Long.MAX_VALUE})
    void refusesAnAlignmentThatIsNotAPowerOfTwo(long alignment) {
        assertThatThrownBy(() -> HostBufferType.standard().withAlignment(alignment))
                .isInstanceOf(AllocationException.class)
                .hasMessageContainingAll("host", Long.toString(alignment), "power of two");
    }

    @Test
    void refusesANegativeLargestSize() {
        assertThatThrownBy(() -> HostBufferType.standard().withMaxBufferSize(-1))
                .isInstanceOf(AllocationException.class);
    }

    @Test
    void isHostMemoryOfTheStandardAlignment() {
        HostBufferType type = HostBufferType.standard();
        assertThat(type.isHost()).isTrue();
        assertThat(type.name()).isEqualTo("host");
        assertThat(type.alignment()).isEqualTo(64);
        assertThat(type.maxBufferSize()).isEqualTo(Long.MAX_VALUE);
        assertThat(type.allocationSize(bytes("a", 13))).isEqualTo(13);
    }

    @Test
    void givesABufferOfTheLargestSizeAndNoLarger() {
        HostBufferType type = HostBufferType.standard().withMaxBufferSize(100).withName("small");
        type.allocate(100).close();
        assertThatThrownBy(() -> type.allocate(101)).isInstanceOfSatisfying(AllocationException.class, e -> {
            assertThat(e.bufferType()).isEqualTo("small");
            assertThat(e.requestedBytes()).isEqualTo(101);
            assertThat(e.availableBytes()).isEqualTo(100);
            assertThat(e).hasMessageContainingAll("101", "small", "100");
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - 63})
    void refusesImpossibleSizes(long size) {
        assertThatThrownBy(() -> HostBufferType.standard().allocate(size))
                .isInstanceOfSatisfying(AllocationException.class, e -> {
                    assertThat(e.requestedBytes()).isEqualTo(size);
                    assertThat(e).hasNoCause().hasMessageContaining("a buffer has 0 to");
                });
    }

    @Test
    void reportsWhatTheMachineDoesNotHave() {
        long moreThanAnyMachineHas = 1L << 60;
        assertThatThrownBy(() -> HostBufferType.standard().allocate(moreThanAnyMachineHas))
                .isInstanceOfSatisfying(AllocationException.class, e -> {
                    assertThat(e.requestedBytes()).isEqualTo(moreThanAnyMachineHas);
                    assertThat(e).hasMessageContaining(Long.toString(moreThanAnyMachineHas));
                    assertThat(e).hasCauseInstanceOf(OutOfMemoryError.class);
                });
    }

    @Test
    void isWrittenInPlaceThroughItsSegment() {
        try (Buffer buffer = HostBufferType.standard().allocate(128)) {
            Tensor tensor = bytes("a", 4);
            buffer.place(tensor, 64);
            assertThat(buffer.hasSegment()).isTrue();
            buffer.segment().set(ValueLayout.JAVA_BYTE, 65, (byte) 9);
            byte[] read = new byte[4];
            buffer.get(tensor, 0, MemorySegment.ofArray(read));
            assertThat(read[1]).isEqualTo((byte) 9);
            assertThat(buffer.segment().address()).isEqualTo(buffer.address());
        }
    }

    @Test
    void isUsedByAnyThread() throws InterruptedException {
        try (Buffer buffer = HostBufferType.standard().allocate(64)) {
            Thread thread = Thread.ofVirtual().start(() -> buffer.clear((byte) 7));
            thread.join();
            assertThat(buffer.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(7);
        }
    }

    @Test
    void freesItsMemoryWhenClosed() {
        Buffer buffer = HostBufferType.standard().allocate(64);
        MemorySegment segment = buffer.segment();
        buffer.close();
        assertThat(segment.scope().isAlive()).isFalse();
    }

    @Test
    void leavesMemoryItDoesNotOwn() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(64, 32);
            Buffer buffer = HostBuffer.over(segment);
            buffer.clear((byte) 3);
            buffer.close();
            assertThat(segment.toArray(ValueLayout.JAVA_BYTE)).containsOnly(3);
        }
    }

    @Test
    void placesTensorsInForeignMemory() {
        try (Arena arena = Arena.ofConfined()) {
            Buffer buffer = HostBuffer.over(arena.allocate(64, 32));
            Tensor tensor = bytes("a", 32);
            buffer.place(tensor, 32);
            assertThat(buffer.isHost()).isTrue();
            assertThat(isAt(tensor, buffer, 32)).isTrue();
        }
    }

    @Test
    void refusesWritesOverAReadOnlySegment() {
        MemorySegment segment = MemorySegment.ofArray(new long[] {1}).asReadOnly();
        Buffer buffer = HostBuffer.over(segment, 8);
        Tensor tensor = bytes("a", 8);
        buffer.place(tensor, 0);
        assertThat(buffer.isReadOnly()).isTrue();
        assertThatThrownBy(() -> buffer.clear((byte) 0))
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("read-only");
        assertThatThrownBy(() -> buffer.set(tensor, 0, MemorySegment.ofArray(new byte[1])))
                .isInstanceOf(AccessException.class);
        assertThatThrownBy(() -> buffer.memset(tensor, 0, 1, (byte) 0)).isInstanceOf(AccessException.class);
        assertThat(segment.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(1);
    }

    @Test
    void takesAJavaArrayForWhatItsElementsAreAlignedTo() {
        MemorySegment floats = MemorySegment.ofArray(new float[16]);
        assertThatThrownBy(() -> HostBuffer.over(floats))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll("4 bytes at most", "not to 32");
        assertThat(HostBuffer.over(floats, 4).size()).isEqualTo(64);
    }

    @Test
    void refusesToReachForeignMemoryThatIsGone() {
        Arena arena = Arena.ofShared();
        Buffer buffer = HostBuffer.over(arena.allocate(64, 32));
        Tensor tensor = bytes("a", 8);
        buffer.place(tensor, 0);
        arena.close();
        assertThatThrownBy(() -> buffer.clear((byte) 0)).isInstanceOf(ClosedException.class);
        MemorySegment bytes = MemorySegment.ofArray(new byte[8]);
        assertThatThrownBy(() -> buffer.set(tensor, 0, bytes)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> buffer.get(tensor, 0, bytes)).isInstanceOf(ClosedException.class);
    }

    @Test
    void refusesOtherThreadsOverAConfinedSegment() throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>(new AssertionError("nothing was thrown"));
        try (Arena arena = Arena.ofConfined()) {
            Buffer buffer = HostBuffer.over(arena.allocate(64, 32));
            Thread thread = new Thread(() -> {
                try {
                    buffer.clear((byte) 0);
                } catch (RuntimeException e) {
                    thrown.set(e);
                }
            });
            thread.start();
            thread.join();
        }
        assertThat(thrown.get()).isInstanceOf(AccessException.class).hasMessageContaining("another thread");
    }
}
