package dev.stowage.memory;

import static dev.stowage.memory.FakeMemory.bytes;
import static dev.stowage.memory.FakeMemory.isAt;
import static dev.stowage.memory.FakeMemory.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LinearAllocatorTest {

    private final FakeMemory memory = FakeMemory.aligned(64);

    @Test
    void placesTensorsOneAfterTheOther() {
        LinearAllocator allocator = new LinearAllocator(memory.allocate(256));
        Tensor a = bytes("a", 1);
        Tensor b = bytes("b", 64);
        Tensor c = bytes("c", 65);
        assertThat(allocator.allocate(a)).isZero();
        assertThat(allocator.allocate(b)).isEqualTo(64);
        assertThat(allocator.allocate(c)).isEqualTo(128);
        assertThat(isAt(c, allocator.buffer(), 128)).isTrue();
        assertThat(allocator.used()).isEqualTo(256);
        assertThat(allocator.remaining()).isZero();
    }

    @Test
    void startsAtTheFirstAlignedAddress() {
        memory.misalignment = 40;
        LinearAllocator allocator = new LinearAllocator(memory.allocate(100));
        assertThat(allocator.used()).isEqualTo(24);
        assertThat(allocator.remaining()).isEqualTo(76);
        Tensor a = bytes("a", 10);
        assertThat(allocator.allocate(a)).isEqualTo(24);
        assertThat((allocator.buffer().address() + a.storageOffset()) % 64).isZero();
    }

    @Test
    void hasNothingLeftWhereTheBufferEndsBeforeTheFirstAlignedAddress() {
        memory.misalignment = 40;
        LinearAllocator allocator = new LinearAllocator(memory.allocate(10));
        assertThat(allocator.remaining()).isZero();
        assertThatThrownBy(() -> allocator.allocate(bytes("empty", 0))).isInstanceOf(AllocationException.class);
    }

    @Test
    void refusesATensorWhosePaddedSizeDoesNotFitAndStaysAsItWas() {
        LinearAllocator allocator = new LinearAllocator(memory.allocate(127));
        allocator.allocate(bytes("a", 1));
        Tensor b = bytes("b", 63);
        assertThatThrownBy(() -> allocator.allocate(b)).isInstanceOfSatisfying(AllocationException.class, e -> {
            assertThat(e.requestedBytes()).isEqualTo(64);
            assertThat(e.availableBytes()).isEqualTo(63);
            assertThat(e).hasMessageContainingAll("'b'", "needs 64 bytes", "63 are left", "127 bytes");
        });
        assertThat(b.isPlaced()).isFalse();
        assertThat(allocator.used()).isEqualTo(64);
        assertThat(allocator.remaining()).isEqualTo(63);
    }

    @Test
    void fillsABufferToTheLastByte() {
        LinearAllocator allocator = new LinearAllocator(memory.allocate(128));
        allocator.allocate(bytes("a", 128));
        assertThat(allocator.remaining()).isZero();
        assertThat(allocator.allocate(bytes("empty", 0))).isEqualTo(128);
        assertThatThrownBy(() -> allocator.allocate(bytes("b", 1))).isInstanceOf(AllocationException.class);
    }

    @Test
    void refusesATensorOfMoreBytesThanCanBePadded() {
        LinearAllocator allocator =
                new LinearAllocator(MeasuringBufferType.of("endless", 64).allocate(Long.MAX_VALUE));
        assertThatThrownBy(() -> allocator.allocate(bytes("huge", Long.MAX_VALUE)))
                .isInstanceOf(AllocationException.class)
                .hasMessageContaining("'huge'");
        allocator.allocate(bytes("a", 64));
        assertThatThrownBy(() -> allocator.allocate(bytes("large", Long.MAX_VALUE - 63)))
                .isInstanceOf(AllocationException.class)
                .hasMessageContaining("'large'");
        assertThat(allocator.used()).isEqualTo(64);
    }

    @Test
    void countsTheBytesTheTypeSaysATensorTakes() {
        MeasuringBufferType type = MeasuringBufferType.of("padded", 64).withSizeMultiple(100);
        LinearAllocator allocator = new LinearAllocator(type.allocate(1000));
        allocator.allocate(bytes("a", 1));
        assertThat(allocator.used()).isEqualTo(128);
    }

    @Test
    void refusesAView() {
        LinearAllocator allocator = new LinearAllocator(memory.allocate(128));
        Tensor source = bytes("source", 1000);
        assertThatThrownBy(() -> allocator.allocate(view(source, "view", 0, 500)))
                .isInstanceOf(InvalidTensorException.class)
                .hasMessageContaining("'view'");
        assertThat(allocator.used()).isZero();
    }

    @Test
    void staysAsItWasWhereTheMemoryRefusesATensor() {
        memory.refusedTensor = "b";
        LinearAllocator allocator = new LinearAllocator(memory.allocate(256));
        allocator.allocate(bytes("a", 64));
        assertThatThrownBy(() -> allocator.allocate(bytes("b", 64))).isInstanceOf(AllocationException.class);
        assertThat(allocator.used()).isEqualTo(64);
        assertThat(allocator.allocate(bytes("c", 64))).isEqualTo(64);
    }

    @Test
    void refusesToPlaceInABufferThatWasClosed() {
        Buffer buffer = memory.allocate(64);
        LinearAllocator allocator = new LinearAllocator(buffer);
        buffer.close();
        assertThatThrownBy(() -> allocator.allocate(bytes("a", 1000))).isInstanceOf(ClosedException.class);
    }

    @Test
    void agreesWithASimpleModelOnRandomSequences() {
        for (long seed = 0; seed < 300; seed++) {
            checkAgainstModel(seed);
        }
    }

    /** The model walks byte by byte to the next aligned address instead of computing it. */
    private static void checkAgainstModel(long seed) {
        Random random = new Random(seed);
        long alignment = 1L << random.nextInt(9);
        FakeMemory memory = FakeMemory.aligned(alignment);
        memory.misalignment = random.nextInt(300);
        long size = random.nextInt(4000);
        Buffer buffer = memory.allocate(size);
        LinearAllocator allocator = new LinearAllocator(buffer);
        long end = nextAligned(0, buffer.address(), alignment);
        for (int i = 0; i < 40; i++) {
            Tensor tensor = bytes("t" + i, random.nextInt(400));
            long padded = nextAligned(tensor.byteSize(), 0, alignment);
            if (end + padded <= size) {
                assertThat(allocator.allocate(tensor))
                        .as("seed %d, tensor %d", seed, i)
                        .isEqualTo(end);
                assertThat(isAt(tensor, buffer, end))
                        .as("seed %d, tensor %d", seed, i)
                        .isTrue();
                end += padded;
            } else {
                assertThatThrownBy(() -> allocator.allocate(tensor))
                        .as("seed %d, tensor %d", seed, i)
                        .isInstanceOf(AllocationException.class);
                assertThat(tensor.isPlaced()).as("seed %d, tensor %d", seed, i).isFalse();
            }
            assertThat(allocator.used()).as("seed %d, tensor %d", seed, i).isEqualTo(end);
            assertThat(allocator.remaining()).as("seed %d, tensor %d", seed, i).isEqualTo(Math.max(0, size - end));
        }
    }

    private static long nextAligned(long offset, long base, long alignment) {
        long at = offset;
        while ((base + at) % alignment != 0) {
            at++;
        }
        return at;
    }
}
