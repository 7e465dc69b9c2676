package dev.stowage.memory;

import static dev.stowage.memory.FakeMemory.bytes;
import static dev.stowage.memory.FakeMemory.isAt;
import static dev.stowage.memory.FakeMemory.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.Storage;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BufferTest {

    private static final long SIZE = 256;
    private static final long ALIGNMENT = 64;

    private final FakeMemory memory = FakeMemory.aligned(ALIGNMENT);
    private final FakeMemory.FakeBuffer buffer = memory.allocate(SIZE);

    @Test
    void hasTheNameAndSizeItWasMadeWith() {
        assertThat(buffer.name()).isEqualTo("fake");
        assertThat(buffer.type()).isSameAs(memory);
        assertThat(buffer.size()).isEqualTo(SIZE);
        assertThat(buffer).hasToString("fake (256 bytes, ANY)");
    }

    @Test
    void isForAnyUseByDefault() {
        assertThat(buffer.usage()).isEqualTo(BufferUsage.ANY);
        assertThat(buffer.setUsage(BufferUsage.WEIGHTS)).isSameAs(buffer);
        assertThat(buffer.usage()).isEqualTo(BufferUsage.WEIGHTS);
    }

    @Test
    void cannotHaveANegativeSize() {
        assertThatThrownBy(() -> new NegativeBuffer(memory)).isInstanceOf(AllocationException.class);
    }

    @Test
    void placesATensorAtAnAlignedOffset() {
        Tensor tensor = bytes("a", 100);
        buffer.place(tensor, ALIGNMENT);
        assertThat(isAt(tensor, buffer, ALIGNMENT)).isTrue();
        assertThat(Buffer.of(tensor)).isSameAs(buffer);
        assertThat(memory.initialized).containsExactly("a");
    }

    @Test
    void placesATensorUpToTheLastByte() {
        Tensor tensor = bytes("a", SIZE - 3 * ALIGNMENT);
        buffer.place(tensor, 3 * ALIGNMENT);
        assertThat(tensor.storageOffset()).isEqualTo(3 * ALIGNMENT);
    }

    @Test
    void placesAnEmptyTensorAtTheVeryEnd() {
        Tensor tensor = bytes("empty", 0);
        buffer.place(tensor, SIZE);
        assertThat(isAt(tensor, buffer, SIZE)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "65, 192",
        "1, 256",
        "257, 0",
        "1, -64",
        "0, 320",
        "1, 9223372036854775744",
        "9223372036854775807, 0",
        "9223372036854775807, 9223372036854775744"
    })
    void refusesAPlaceThatIsNotWithinTheBuffer(long size, long offset) {
        Tensor tensor = bytes("a", size);
        assertThatThrownBy(() -> buffer.place(tensor, offset))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll("'a'", "takes " + size + " bytes", "at offset " + offset, "256 bytes");
        assertThat(tensor.isPlaced()).isFalse();
    }

    @Test
    void refusesAPlaceWhoseAllocationSizeDoesNotFitThoughItsBytesDo() {
        MeasuringBufferType type = MeasuringBufferType.of("padded", 64).withSizeMultiple(512);
        Tensor tensor = bytes("a", 10);
        assertThatThrownBy(() -> type.allocate(511).place(tensor, 0))
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("takes 512 bytes");
        assertThat(tensor.isPlaced()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"1", "32", "63", "65", "127"})
    void refusesAPlaceThatIsNotAligned(long offset) {
        Tensor tensor = bytes("a", 8);
        assertThatThrownBy(() -> buffer.place(tensor, offset))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll("'a'", "offset " + offset, "not a multiple of 64");
        assertThat(tensor.isPlaced()).isFalse();
    }

    @Test
    void countsAlignmentFromTheAddressAndNotFromTheOffset() {
        memory.misalignment = 16;
        Buffer crooked = memory.allocate(SIZE);
        Tensor tensor = bytes("a", 8);
        assertThatThrownBy(() -> crooked.place(tensor, 64)).isInstanceOf(AccessException.class);
        crooked.place(tensor, 48);
        assertThat((crooked.address() + tensor.storageOffset()) % ALIGNMENT).isZero();
    }

    @Test
    void refusesToPlaceAView() {
        Tensor source = bytes("source", 64);
        assertThatThrownBy(() -> buffer.place(view(source, "view", 0, 8), 0))
                .isInstanceOf(InvalidTensorException.class)
                .hasMessageContainingAll("'view'", "'source'");
        assertThat(source.isPlaced()).isFalse();
    }

    @Test
    void refusesATensorThatHasMemoryElsewhereUntilThatIsClosed() {
        Tensor tensor = bytes("a", 8);
        Buffer other = memory.allocate(SIZE);
        other.place(tensor, 64);
        assertThatThrownBy(() -> buffer.place(tensor, 128))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll("'a'", "offset 64 of fake", "until that is closed");
        assertThat(isAt(tensor, other, 64)).isTrue();

        other.close();
        buffer.place(tensor, 128);
        assertThat(isAt(tensor, buffer, 128)).isTrue();
    }

    @Test
    void refusesToPlaceATensorAgainInItself() {
        Tensor tensor = placed("a", 8, 64);
        assertThatThrownBy(() -> buffer.place(tensor, 0)).isInstanceOf(AccessException.class);
        assertThatThrownBy(() -> buffer.place(tensor, 64)).isInstanceOf(AccessException.class);
        assertThat(isAt(tensor, buffer, 64)).isTrue();
    }

    @Test
    void holdsATensorOfABoundGraphWhereverElseThatIsStored() {
        Tensor tensor = placed("a", 4, 0);
        BoundTensor bound = BoundTensor.at(tensor, buffer, 64);
        buffer.set(bound, 0, segment(1, 2, 3, 4));
        assertThat(read(tensor, 0, 4)).containsExactly(0, 0, 0, 0);
        assertThat(buffer.memory[64]).isEqualTo((byte) 1);
        assertThat(isAt(tensor, buffer, 0)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"-1", "253", "256", "9223372036854775807"})
    void refusesABoundTensorThatDoesNotFit(long offset) {
        assertThatThrownBy(() -> BoundTensor.at(bytes("a", 4), buffer, offset))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll("'a'", "4 bytes", "offset " + offset, "256 bytes");
    }

    @Test
    void leavesATensorWithoutPlaceWhereInitialisingFails() {
        memory.refusedTensor = "a";
        Tensor tensor = bytes("a", 8);
        assertThatThrownBy(() -> buffer.place(tensor, 0)).isInstanceOf(AllocationException.class);
        assertThat(tensor.isPlaced()).isFalse();
    }

    @Test
    void leavesATensorInItsOldPlaceWhereInitialisingFails() {
        Buffer other = HostBufferType.standard().allocate(SIZE);
        Tensor tensor = bytes("a", 8);
        other.place(tensor, 128);
        memory.refusedTensor = "a";
        assertThatThrownBy(() -> buffer.place(tensor, 0)).isInstanceOf(AllocationException.class);
        assertThat(isAt(tensor, other, 128)).isTrue();
        other.close();
    }

    @Test
    void initialisesAViewOfATensorThatIsStoredHere() {
        Tensor source = bytes("source", 64);
        buffer.place(source, 0);
        buffer.initializeView(BoundTensor.of(view(source, "view", 8, 8)));
        assertThat(memory.initialized).containsExactly("source", "view");
    }

    @Test
    void refusesToInitialiseWhatIsNotAView() {
        Tensor tensor = bytes("a", 64);
        buffer.place(tensor, 0);
        assertThatThrownBy(() -> buffer.initializeView(BoundTensor.of(tensor)))
                .isInstanceOf(InvalidTensorException.class);
    }

    @Test
    void refusesToInitialiseAViewOfATensorThatIsStoredElsewhere() {
        Tensor source = bytes("source", 64);
        memory.allocate(SIZE).place(source, 0);
        assertThatThrownBy(() -> buffer.initializeView(BoundTensor.of(view(source, "view", 0, 8))))
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("'view'");
    }

    @Test
    void writesAndReadsTheBytesOfATensor() {
        Tensor tensor = placed("a", 4, 64);
        buffer.set(tensor, 0, segment(1, 2, 3, 4));
        assertThat(buffer.memory[63]).isZero();
        assertThat(buffer.memory).startsWith(new byte[64]).contains(1, 2, 3, 4);
        assertThat(read(tensor, 0, 4)).containsExactly(1, 2, 3, 4);
    }

    @Test
    void writesAndReadsAPartOfATensor() {
        Tensor tensor = placed("a", 4, 64);
        buffer.set(tensor, 2, segment(7, 8));
        assertThat(read(tensor, 0, 4)).containsExactly(0, 0, 7, 8);
        assertThat(read(tensor, 3, 1)).containsExactly(8);
    }

    @Test
    void reachesTheBytesOfAViewThroughTheViewsOwnRange() {
        Tensor source = placed("source", 8, 64);
        Tensor view = view(source, "view", 3, 2);
        buffer.set(view, 0, segment(5, 6));
        assertThat(read(source, 0, 8)).containsExactly(0, 0, 0, 5, 6, 0, 0, 0);
        assertThatThrownBy(() -> buffer.set(view, 1, segment(1, 1)))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll("'view'", "2 bytes at byte 1", "which has 2 bytes");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 11",
        "1, 10",
        "10, 1",
        "11, 0",
        "-1, 1",
        "-1, 0",
        "9223372036854775807, 1",
        "9223372036854775807, 10"
    })
    void refusesToReadWriteOrFillARangeOutsideTheTensor(long offset, int length) {
        Tensor tensor = placed("a", 10, 0);
        MemorySegment segment = MemorySegment.ofArray(new byte[length]);
        segment.fill((byte) 1);
        String[] message = {"'a'", length + " bytes at byte " + offset, "which has 10 bytes"};
        assertThatThrownBy(() -> buffer.set(tensor, offset, segment))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll(message);
        assertThatThrownBy(() -> buffer.get(tensor, offset, segment))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll(message);
        assertThatThrownBy(() -> buffer.memset(tensor, offset, length, (byte) 1))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll(message);
        assertThat(buffer.memory).containsOnly(0);
        assertThat(segment.toArray(ValueLayout.JAVA_BYTE)).doesNotContain(0);
    }

    @ParameterizedTest
    @CsvSource({"0, 10", "0, 9", "1, 9", "9, 1", "10, 0", "0, 0"})
    void fillsARangeWithinTheTensorAndNothingElse(long offset, long length) {
        Tensor tensor = placed("a", 10, 64);
        buffer.memset(tensor, offset, length, (byte) 9);
        for (int i = 0; i < SIZE; i++) {
            boolean within = i >= 64 + offset && i < 64 + offset + length;
            assertThat(buffer.memory[i]).as("byte %d", i).isEqualTo((byte) (within ? 9 : 0));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, -1", "5, -5", "0, -9223372036854775808", "5, 9223372036854775807"})
    void refusesToFillAnImpossibleLength(long offset, long length) {
        Tensor tensor = placed("a", 10, 0);
        assertThatThrownBy(() -> buffer.memset(tensor, offset, length, (byte) 1))
                .isInstanceOf(AccessException.class);
        assertThat(buffer.memory).containsOnly(0);
    }

    @Test
    void doesNotTouchTheMemoryForNoBytes() {
        Tensor tensor = placed("a", 10, 0);
        buffer.set(tensor, 10, MemorySegment.ofArray(new byte[0]));
        buffer.get(tensor, 0, MemorySegment.ofArray(new byte[0]));
        assertThat(buffer.writes + buffer.reads).isZero();
    }

    @Test
    void refusesATensorWithoutMemory() {
        Tensor tensor = bytes("a", 4);
        assertThatThrownBy(() -> buffer.set(tensor, 0, segment(1)))
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("'a'");
        assertThatThrownBy(() -> Buffer.of(tensor)).isInstanceOf(AccessException.class);
    }

    @Test
    void refusesATensorThatIsStoredInAnotherBuffer() {
        Tensor tensor = bytes("a", 4);
        new FakeMemory("other", 32, 64).allocate(64).place(tensor, 0);
        assertThatThrownBy(() -> buffer.set(tensor, 0, segment(1)))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll("'a'", "other", "fake");
        assertThatThrownBy(() -> read(tensor, 0, 1)).isInstanceOf(AccessException.class);
        assertThatThrownBy(() -> buffer.memset(tensor, 0, 1, (byte) 1)).isInstanceOf(AccessException.class);
    }

    @Test
    void saysWhereATensorIsStoredInMemoryThatIsNotABuffer() {
        Tensor tensor = bytes("a", 4);
        new Elsewhere().hold(tensor);
        assertThatThrownBy(() -> Buffer.of(tensor))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll("'a'", "elsewhere");
    }

    @Test
    void refusesToReadIntoAReadOnlySegment() {
        Tensor tensor = placed("a", 4, 0);
        assertThatThrownBy(() -> buffer.get(tensor, 0, segment(0, 0).asReadOnly()))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll("'a'", "read-only");
    }

    @Test
    void refusesASegmentOfAClosedArena() {
        Tensor tensor = placed("a", 4, 0);
        Arena arena = Arena.ofConfined();
        MemorySegment gone = arena.allocate(4);
        arena.close();
        assertThatThrownBy(() -> buffer.set(tensor, 0, gone)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> buffer.get(tensor, 0, gone)).isInstanceOf(ClosedException.class);
        assertThat(buffer.writes + buffer.reads).isZero();
    }

    @Test
    void refusesASegmentThatBelongsToAnotherThread() throws InterruptedException {
        Tensor tensor = placed("a", 4, 0);
        AtomicReference<Throwable> thrown = new AtomicReference<>(new AssertionError("nothing was thrown"));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment confined = arena.allocate(4);
            Thread thread = new Thread(() -> {
                try {
                    buffer.set(tensor, 0, confined);
                } catch (RuntimeException e) {
                    thrown.set(e);
                }
            });
            thread.start();
            thread.join();
        }
        assertThat(thrown.get()).isInstanceOf(AccessException.class).hasMessageContaining("another thread");
        assertThat(buffer.writes).isZero();
    }

    @Test
    void clearsEveryByte() {
        buffer.clear((byte) 42);
        assertThat(buffer.memory).hasSize((int) SIZE).containsOnly(42);
    }

    @Test
    void clearsNothingWhereThereAreNoBytes() {
        Buffer empty = memory.allocate(0);
        empty.clear((byte) 1);
        assertThat(empty.size()).isZero();
    }

    @Test
    void passesAResetOn() {
        buffer.reset();
        assertThat(buffer.resets).isEqualTo(1);
    }

    @Test
    void hasNoSegmentWhereTheHostCannotReachTheBytes() {
        assertThat(buffer.hasSegment()).isFalse();
        assertThatThrownBy(buffer::segment).isInstanceOf(AccessException.class).hasMessageContaining("fake");
    }

    @Test
    void releasesItsMemoryOnceHoweverOftenItIsClosed() {
        buffer.close();
        assertThat(memory.open).isEmpty();
        memory.failsOnRelease = true;
        buffer.close();
        assertThat(buffer.isClosed()).isTrue();
    }

    @Test
    void isClosedEvenWhereReleasingFails() {
        memory.failsOnRelease = true;
        assertThatThrownBy(buffer::close).isInstanceOf(IllegalStateException.class);
        assertThat(buffer.isClosed()).isTrue();
        assertThatThrownBy(() -> buffer.clear((byte) 0)).isInstanceOf(ClosedException.class);
    }

    @Test
    void leavesItsTensorsWhereTheyAreWhenClosed() {
        List<Tensor> tensors = List.of(placed("a", 4, 0), placed("b", 4, 64));
        buffer.close();
        assertThat(tensors)
                .allMatch(tensor -> tensor.isPlaced() && Buffer.of(tensor).isClosed());
    }

    private Tensor placed(String name, long size, long offset) {
        Tensor tensor = bytes(name, size);
        buffer.place(tensor, offset);
        return tensor;
    }

    private byte[] read(Tensor tensor, long offset, int length) {
        byte[] target = new byte[length];
        buffer.get(tensor, offset, MemorySegment.ofArray(target));
        return target;
    }

    private static MemorySegment segment(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return MemorySegment.ofArray(bytes);
    }

    private static final class Elsewhere extends Storage {

        void hold(Tensor tensor) {
            assign(tensor, 0);
        }

        @Override
        public String name() {
            return "elsewhere";
        }

        @Override
        public long size() {
            return 64;
        }

        @Override
        public boolean isClosed() {
            return false;
        }
    }

    private static final class NegativeBuffer extends Buffer {

        NegativeBuffer(BufferType type) {
            super(type, -1);
        }

        @Override
        protected long baseAddress() {
            return 0;
        }

        @Override
        protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {}

        @Override
        protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {}

        @Override
        protected void doMemset(long offset, long length, byte value) {}

        @Override
        protected void doClose() {}
    }
}
