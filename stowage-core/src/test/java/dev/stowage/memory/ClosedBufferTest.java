package dev.stowage.memory;

import static dev.stowage.memory.FakeMemory.bytes;
import static dev.stowage.memory.FakeMemory.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.ClosedException;
import dev.stowage.tensor.ForcedPlacement;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind of buffer, closed, and every method that would reach for its memory. */
class ClosedBufferTest {

    private static final int SIZE = 128;

    @TempDir
    static Path folder;

    static List<Named<Buffer>> buffers() {
        return List.of(
                Named.of("host", HostBufferType.standard().allocate(SIZE)),
                Named.of("empty", HostBufferType.standard().allocate(0)),
                Named.of("over", HostBuffer.over(MemorySegment.ofArray(new long[SIZE / 8]), 8)),
                Named.of("mapped", MappedBuffer.map(file(), 0, SIZE)),
                Named.of("mapped privately", MappedBuffer.mapPrivately(file(), 0, SIZE)),
                Named.of("measuring", MeasuringBufferType.of("measured", 64).allocate(SIZE)),
                Named.of("fake", FakeMemory.aligned(64).allocate(SIZE)),
                Named.of(
                        "multi",
                        MultiBuffer.of(List.of(HostBufferType.standard().allocate(SIZE)))));
    }

    static List<Named<Consumer<Buffer>>> uses() {
        return List.of(
                use("address", Buffer::address),
                use("segment", Buffer::segment),
                use("clear", buffer -> buffer.clear((byte) 1)),
                use("reset", Buffer::reset),
                use("setUsage", buffer -> buffer.setUsage(BufferUsage.WEIGHTS)),
                use("place", buffer -> buffer.place(bytes("a", 0), 0)),
                use(
                        "initializeView",
                        buffer -> buffer.initializeView(BoundTensor.of(view(storedIn(buffer), "view", 0, 0)))),
                use("set", buffer -> buffer.set(storedIn(buffer), 0, MemorySegment.ofArray(new byte[0]))),
                use("get", buffer -> buffer.get(storedIn(buffer), 0, MemorySegment.ofArray(new byte[0]))),
                use("memset", buffer -> buffer.memset(storedIn(buffer), 0, 0, (byte) 1)),
                use("copy from", buffer -> Buffer.copy(storedIn(buffer), storedInOpenMemory())),
                use("copy to", buffer -> Buffer.copy(storedInOpenMemory(), storedIn(buffer))),
                use("copy within", buffer -> Buffer.copy(storedIn(buffer), storedIn(buffer))),
                use("linear allocator", LinearAllocator::new),
                use("tensor segment", buffer -> TensorData.segment(storedIn(buffer))));
    }

    static Stream<Arguments> everyUseOfEveryBuffer() {
        return buffers().stream().flatMap(buffer -> uses().stream().map(use -> Arguments.of(buffer, use)));
    }

    @ParameterizedTest
    @MethodSource("everyUseOfEveryBuffer")
    void refusesAnyUse(Buffer buffer, Consumer<Buffer> use) {
        buffer.close();
        assertThatThrownBy(() -> use.accept(buffer))
                .isInstanceOf(ClosedException.class)
                .hasMessageContainingAll(buffer.name(), buffer.size() + " bytes");
    }

    @ParameterizedTest
    @MethodSource("buffers")
    void canBeClosedAgain(Buffer buffer) {
        buffer.close();
        assertThatCode(buffer::close).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @MethodSource("buffers")
    void stillSaysWhatItWas(Buffer buffer) {
        long size = buffer.size();
        String name = buffer.name();
        buffer.setUsage(BufferUsage.COMPUTE);
        buffer.close();
        assertThat(buffer.size()).isEqualTo(size);
        assertThat(buffer.name()).isEqualTo(name);
        assertThat(buffer.usage()).isEqualTo(BufferUsage.COMPUTE);
        assertThat(buffer.isClosed()).isTrue();
        assertThat(buffer.hasSegment()).isFalse();
        assertThat(buffer.toString()).contains("closed");
    }

    @ParameterizedTest
    @MethodSource("buffers")
    void isOpenBeforeItIsClosed(Buffer buffer) {
        assertThat(buffer.isClosed()).isFalse();
        buffer.close();
    }

    private static Named<Consumer<Buffer>> use(String name, Consumer<Buffer> use) {
        return Named.of(name, use);
    }

    /** A tensor that stayed in a closed buffer. */
    private static Tensor storedIn(Buffer buffer) {
        Tensor tensor = bytes("left", 0);
        ForcedPlacement.place(tensor, buffer, 0);
        return tensor;
    }

    private static Tensor storedInOpenMemory() {
        Tensor tensor = bytes("open", 0);
        FakeMemory.aligned(64).allocate(SIZE).place(tensor, 0);
        return tensor;
    }

    private static Path file() {
        try {
            return Files.write(Files.createTempFile(folder, "bytes", ".bin"), new byte[SIZE]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
