package dev.stowage.memory;

import static dev.stowage.memory.FakeMemory.bytes;
import static dev.stowage.memory.FakeMemory.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TensorCopyTest {

    private static final int LARGER_THAN_STAGING = (int) (2 * TensorCopy.STAGING_BYTES + 4097);

    private final FakeMemory device = FakeMemory.aligned(64);
    private final FakeMemory directDevice = FakeMemory.aligned(64);

    TensorCopyTest() {
        directDevice.copiesDirectly = true;
    }

    @ParameterizedTest
    @CsvSource({
        "host, host",
        "host, device",
        "host, direct",
        "device, host",
        "device, device",
        "device, direct",
        "direct, host",
        "direct, device",
        "direct, direct"
    })
    void bringsEveryByteFromAnyMemoryToAnyOther(String from, String to) {
        byte[] content = random(1000, 1);
        try (Buffer source = memory(from).allocate(1064);
                Buffer target = memory(to).allocate(1192)) {
            Tensor a = placed("a", source, 64, 1000);
            Tensor b = placed("b", target, 128, 1000);
            target.clear((byte) 77);
            source.set(a, 0, MemorySegment.ofArray(content));

            Buffer.copy(a, b);

            assertThat(contentOf(b)).isEqualTo(content);
            assertThat(contentOf(a)).isEqualTo(content);
            assertThat(contentOf(placed("before", target, 0, 128))).containsOnly(77);
            assertThat(contentOf(placed("all", target, 0, 1192))).endsWith(filled(64, 77));
        }
    }

    @ParameterizedTest
    @CsvSource({"host, device", "device, host", "device, device", "direct, direct"})
    void bringsMoreBytesThanTheStagingHolds(String from, String to) {
        byte[] content = random(LARGER_THAN_STAGING, 2);
        try (Buffer source = memory(from).allocate(LARGER_THAN_STAGING);
                Buffer target = memory(to).allocate(LARGER_THAN_STAGING)) {
            Tensor a = placed("a", source, 0, LARGER_THAN_STAGING);
            Tensor b = placed("b", target, 0, LARGER_THAN_STAGING);
            source.set(a, 0, MemorySegment.ofArray(content));

            Buffer.copy(a, b);

            assertThat(Arrays.equals(contentOf(b), content)).isTrue();
        }
    }

    @Test
    void bouncesInPiecesNoLargerThanTheStaging() {
        FakeMemory.FakeBuffer source = device.allocate(LARGER_THAN_STAGING);
        FakeMemory.FakeBuffer target = device.allocate(LARGER_THAN_STAGING);
        Tensor a = placed("a", source, 0, LARGER_THAN_STAGING);
        Tensor b = placed("b", target, 0, LARGER_THAN_STAGING);

        Buffer.copy(a, b);

        assertThat(source.largestPiece).isEqualTo(TensorCopy.STAGING_BYTES);
        assertThat(target.largestPiece).isEqualTo(TensorCopy.STAGING_BYTES);
        assertThat(target.writes).isEqualTo(3);
    }

    @Test
    void copiesDirectlyWhereTheTargetCan() {
        FakeMemory.FakeBuffer source = directDevice.allocate(64);
        FakeMemory.FakeBuffer target = directDevice.allocate(64);

        Buffer.copy(placed("a", source, 0, 64), placed("b", target, 0, 64));

        assertThat(target.directCopies).isEqualTo(1);
        assertThat(source.reads + target.writes).isZero();
    }

    @Test
    void bouncesWhereTheTargetCannotCopyDirectly() {
        FakeMemory.FakeBuffer source = directDevice.allocate(64);
        FakeMemory.FakeBuffer target = device.allocate(64);

        Buffer.copy(placed("a", source, 0, 64), placed("b", target, 0, 64));

        assertThat(target.directCopies).isZero();
        assertThat(source.reads).isEqualTo(1);
        assertThat(target.writes).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "host, 0, 64",
        "host, 64, 0",
        "device, 0, 64",
        "device, 64, 0",
        "direct, 0, 64",
        "direct, 64, 0",
        "host, 64, 64",
        "device, 64, 64",
        "direct, 64, 64"
    })
    void copiesOverlappingTensorsAsIfTheSourceWereReadFirst(String kind, long from, long to) {
        byte[] content = random(LARGER_THAN_STAGING, 3);
        try (Buffer buffer = memory(kind).allocate(LARGER_THAN_STAGING + 64L)) {
            Tensor a = placed("a", buffer, from, LARGER_THAN_STAGING);
            Tensor b = placed("b", buffer, to, LARGER_THAN_STAGING);
            buffer.set(a, 0, MemorySegment.ofArray(content));

            Buffer.copy(a, b);

            assertThat(Arrays.equals(contentOf(b), content)).isTrue();
        }
    }

    @Test
    void neverAsksForADirectCopyOfOverlappingRanges() {
        FakeMemory.FakeBuffer buffer = directDevice.allocate(192);
        Buffer.copy(placed("a", buffer, 0, 65), placed("b", buffer, 64, 65));
        assertThat(buffer.directCopies).isZero();
        Buffer.copy(placed("a", buffer, 0, 64), placed("b", buffer, 64, 64));
        assertThat(buffer.directCopies).isEqualTo(1);
    }

    @Test
    void copiesBetweenBuffersOverTheSameMemory() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment shared = arena.allocate(128, 64);
            Buffer first = HostBuffer.over(shared);
            Buffer second = HostBuffer.over(shared);
            byte[] content = random(96, 4);
            Tensor a = placed("a", first, 0, 96);
            Tensor b = placed("b", second, 32, 96);
            first.set(a, 0, MemorySegment.ofArray(content));

            Buffer.copy(a, b);

            assertThat(contentOf(b)).isEqualTo(content);
        }
    }

    @Test
    void doesNothingForATensorAndItself() {
        FakeMemory.FakeBuffer buffer = device.allocate(64);
        Tensor a = placed("a", buffer, 0, 64);
        Buffer.copy(a, a);
        assertThat(buffer.reads + buffer.writes).isZero();
    }

    @Test
    void asksTheBufferEvenIfTheTwoAreTheVerySameBytes() {
        FakeMemory.FakeBuffer buffer = directDevice.allocate(64);

        Buffer.copy(placed("a", buffer, 0, 64), placed("b", buffer, 0, 64));

        assertThat(buffer.directCopies)
                .as("a device may have more to do than to move bytes")
                .isEqualTo(1);
    }

    @Test
    void tellsTheBufferWhichTensorsAreCopied() {
        FakeMemory.FakeBuffer source = directDevice.allocate(64);
        FakeMemory.FakeBuffer target = directDevice.allocate(128);
        Tensor a = placed("a", source, 0, 64);
        Tensor b = placed("b", target, 64, 64);

        Buffer.copy(a, b);

        assertThat(target.copiedFrom).isSameAs(a);
        assertThat(target.copiedTo).isSameAs(b);
    }

    @Test
    void tellsTheBufferWhichTensorIsReadAndWritten() {
        FakeMemory.FakeBuffer source = device.allocate(64);
        FakeMemory.FakeBuffer target = device.allocate(64);
        Tensor a = placed("a", source, 0, 64);
        Tensor b = placed("b", target, 0, 64);

        Buffer.copy(a, b);

        assertThat(source.lastRead).isSameAs(a);
        assertThat(target.lastWritten).isSameAs(b);
    }

    @Test
    void doesNothingForEmptyTensors() {
        FakeMemory.FakeBuffer source = device.allocate(64);
        FakeMemory.FakeBuffer target = device.allocate(64);
        Buffer.copy(placed("a", source, 0, 0), placed("b", target, 0, 0));
        assertThat(source.reads + target.writes).isZero();
    }

    @Test
    void copiesIntoTheMiddleOfATensorThroughAView() {
        FakeMemory.FakeBuffer source = device.allocate(64);
        FakeMemory.FakeBuffer target = device.allocate(64);
        Tensor a = placed("a", source, 0, 4);
        Tensor b = placed("b", target, 0, 12);
        source.clear((byte) 5);

        Buffer.copy(a, view(b, "middle", 4, 4));

        assertThat(contentOf(b)).containsExactly(0, 0, 0, 0, 5, 5, 5, 5, 0, 0, 0, 0);
    }

    @Test
    void copiesStridedTensorsGapsIncluded() {
        Layout everyOther = Layout.strided(ElementType.I8, Shape.of(3), new Strides(2, 6, 6, 6));
        Tensor a = Tensor.leaf(everyOther).named("a");
        Tensor b = Tensor.leaf(everyOther).named("b");
        FakeMemory.FakeBuffer source = device.allocate(64);
        FakeMemory.FakeBuffer target = device.allocate(64);
        source.place(a, 0);
        target.place(b, 0);
        source.clear((byte) 3);

        Buffer.copy(a, b);

        assertThat(contentOf(b)).hasSize(5).containsOnly(3);
        assertThat(target.memory[5]).isZero();
    }

    @Test
    void refusesLayoutsThatDiffer() {
        Buffer buffer = device.allocate(256);
        Tensor a = placed("a", buffer, 0, 64);
        Tensor b = Tensor.leaf(Layout.contiguous(ElementType.I8, 32, 2)).named("b");
        buffer.place(b, 128);
        assertThatThrownBy(() -> Buffer.copy(a, b))
                .isInstanceOf(InvalidTensorException.class)
                .hasMessageContainingAll("'a'", "'b'");
    }

    @Test
    void refusesTensorsWithoutMemory() {
        Tensor placed = placed("placed", device.allocate(64), 0, 8);
        Tensor unplaced = bytes("unplaced", 8);
        assertThatThrownBy(() -> Buffer.copy(placed, unplaced))
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("'unplaced'");
        assertThatThrownBy(() -> Buffer.copy(unplaced, placed))
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("'unplaced'");
    }

    @Test
    void refusesAReadOnlyTarget() {
        Buffer readOnly = HostBuffer.over(MemorySegment.ofArray(new byte[8]).asReadOnly(), 1);
        Tensor from = placed("from", device.allocate(64), 0, 8);
        assertThatThrownBy(() -> Buffer.copy(from, placed("to", readOnly, 0, 8)))
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("read-only");
    }

    @Test
    void readsFromAReadOnlySource() {
        Buffer readOnly =
                HostBuffer.over(MemorySegment.ofArray(new byte[] {1, 2, 3}).asReadOnly(), 1);
        Tensor to = placed("to", device.allocate(64), 0, 3);
        Buffer.copy(placed("from", readOnly, 0, 3), to);
        assertThat(contentOf(to)).containsExactly(1, 2, 3);
    }

    @Test
    void refusesForeignMemoryThatIsGone() {
        Arena arena = Arena.ofShared();
        Tensor gone = placed("gone", HostBuffer.over(arena.allocate(64, 64)), 0, 8);
        Tensor here = placed("here", device.allocate(64), 0, 8);
        arena.close();
        assertThatThrownBy(() -> Buffer.copy(gone, here)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> Buffer.copy(here, gone)).isInstanceOf(ClosedException.class);
    }

    @ParameterizedTest
    @CsvSource({"host", "device", "direct"})
    void refusesMemoryThatIsOnlyMeasured(String kind) {
        try (Buffer real = memory(kind).allocate(64)) {
            Buffer measured =
                    MeasuringBufferType.of("measured", 64).withHost(true).allocate(64);
            Tensor a = placed("a", real, 0, 8);
            Tensor b = placed("b", measured, 0, 8);
            assertThatThrownBy(() -> Buffer.copy(a, b))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("no memory");
            assertThatThrownBy(() -> Buffer.copy(b, a))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("no memory");
        }
    }

    private BufferType memory(String kind) {
        return switch (kind) {
            case "host" -> HostBufferType.standard();
            case "device" -> device;
            case "direct" -> directDevice;
            default -> throw new AssertionError(kind);
        };
    }

    private static Tensor placed(String name, Buffer buffer, long offset, long size) {
        Tensor tensor = bytes(name, size);
        buffer.place(tensor, offset);
        return tensor;
    }

    private static byte[] contentOf(Tensor tensor) {
        byte[] content = new byte[(int) tensor.byteSize()];
        Buffer.of(tensor).get(tensor, 0, MemorySegment.ofArray(content));
        return content;
    }

    private static byte[] random(int size, long seed) {
        byte[] content = new byte[size];
        new Random(seed).nextBytes(content);
        return content;
    }

    private static byte[] filled(int size, int value) {
        byte[] content = new byte[size];
        Arrays.fill(content, (byte) value);
        return content;
    }
}
