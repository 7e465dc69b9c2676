package dev.stowage.memory;

import static dev.stowage.memory.FakeMemory.bytes;
import static dev.stowage.memory.FakeMemory.isAt;
import static dev.stowage.memory.FakeMemory.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MeasuringBufferTypeTest {

    private final MeasuringBufferType type = MeasuringBufferType.of("gpu", 256);

    @Test
    void givesBuffersLargerThanAnyMachine() {
        try (Buffer buffer = type.allocate(Long.MAX_VALUE)) {
            assertThat(buffer.size()).isEqualTo(Long.MAX_VALUE);
            assertThat(type.openBytes()).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void followsTheRulesItWasGiven() {
        MeasuringBufferType ruled =
                type.withMaxBufferSize(1000).withSizeMultiple(24).withHost(true);
        assertThat(ruled.name()).isEqualTo("gpu");
        assertThat(ruled.alignment()).isEqualTo(256);
        assertThat(ruled.maxBufferSize()).isEqualTo(1000);
        assertThat(ruled.isHost()).isTrue();
        assertThat(type.isHost()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 24", "24, 24", "25, 48", "47, 48"})
    void roundsTensorsUpToTheSizeMultiple(long size, long expected) {
        assertThat(type.withSizeMultiple(24).allocationSize(bytes("a", size))).isEqualTo(expected);
    }

    @Test
    void refusesATensorWhoseRoundedSizeCannotBeCounted() {
        Tensor tensor = bytes("huge", Long.MAX_VALUE);
        assertThatThrownBy(() -> type.withSizeMultiple(4096).allocationSize(tensor))
                .isInstanceOf(AllocationException.class)
                .hasMessageContaining("'huge'");
    }

    @Test
    void refusesBuffersPastTheLargestSize() {
        MeasuringBufferType limited = type.withMaxBufferSize(1000);
        limited.allocate(1000).close();
        assertThatThrownBy(() -> limited.allocate(1001)).isInstanceOfSatisfying(AllocationException.class, e -> {
            assertThat(e.bufferType()).isEqualTo("gpu");
            assertThat(e.requestedBytes()).isEqualTo(1001);
            assertThat(e.availableBytes()).isEqualTo(1000);
        });
        assertThatThrownBy(() -> limited.allocate(-1)).isInstanceOf(AllocationException.class);
    }

    @Test
    void refusesMoreThanItsCapacityUntilSomethingIsClosed() {
        MeasuringBufferType limited = type.withCapacity(100);
        Buffer taken = limited.allocate(60);
        assertThatThrownBy(() -> limited.allocate(41))
                .isInstanceOfSatisfying(
                        AllocationException.class,
                        e -> assertThat(e.availableBytes()).isEqualTo(40));
        limited.allocate(40).close();
        taken.close();
        limited.allocate(100).close();
        assertThat(limited.openBytes()).isZero();
    }

    @Test
    void countsWhatIsAskedFor() {
        MeasuringBufferType limited = type.withMaxBufferSize(50);
        Buffer a = limited.allocate(10);
        Buffer b = limited.allocate(20);
        assertThatThrownBy(() -> limited.allocate(51)).isInstanceOf(AllocationException.class);
        a.close();
        a.close();
        Buffer c = limited.allocate(5);
        assertThat(limited.requests()).isEqualTo(4);
        assertThat(limited.openBuffers()).isEqualTo(2);
        assertThat(limited.openBytes()).isEqualTo(25);
        assertThat(limited.peakBytes()).isEqualTo(30);
        b.close();
        c.close();
        assertThat(limited.openBuffers()).isZero();
        assertThat(limited.peakBytes()).isEqualTo(30);
    }

    @Test
    void placesTensorsUnderTheRulesOfABuffer() {
        Buffer buffer = type.allocate(1024);
        Tensor tensor = bytes("a", 512);
        buffer.place(tensor, 512);
        buffer.initializeView(BoundTensor.of(view(tensor, "view", 0, 8)));
        buffer.reset();
        assertThat(isAt(tensor, buffer, 512)).isTrue();
        Tensor other = bytes("b", 512);
        assertThatThrownBy(() -> buffer.place(other, 128)).isInstanceOf(AccessException.class);
        assertThatThrownBy(() -> buffer.place(other, 768)).isInstanceOf(AccessException.class);
        assertThat(other.isPlaced()).isFalse();
        assertThat(isAt(tensor, buffer, 512)).isTrue();
    }

    @Test
    void refusesToReachBytesThatAreNotThere() {
        Buffer buffer = type.withHost(true).allocate(1024);
        Tensor tensor = bytes("a", 512);
        buffer.place(tensor, 0);
        MemorySegment segment = MemorySegment.ofArray(new byte[8]);
        assertThatThrownBy(() -> buffer.set(tensor, 0, segment))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll("gpu", "write 8 bytes", "no memory");
        assertThatThrownBy(() -> buffer.get(tensor, 0, segment))
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("read 8 bytes");
        assertThatThrownBy(() -> buffer.memset(tensor, 0, 8, (byte) 0)).isInstanceOf(AccessException.class);
        assertThatThrownBy(() -> buffer.clear((byte) 0)).isInstanceOf(AccessException.class);
        assertThatThrownBy(buffer::segment).isInstanceOf(AccessException.class);
    }

    @Test
    void refusesImpossibleRules() {
        assertThatThrownBy(() -> MeasuringBufferType.of("odd", 12)).isInstanceOf(AllocationException.class);
        assertThatThrownBy(() -> type.withMaxBufferSize(-1)).isInstanceOf(AllocationException.class);
        assertThatThrownBy(() -> type.withSizeMultiple(0)).isInstanceOf(AllocationException.class);
        assertThatThrownBy(() -> type.withCapacity(-1)).isInstanceOf(AllocationException.class);
    }
}
