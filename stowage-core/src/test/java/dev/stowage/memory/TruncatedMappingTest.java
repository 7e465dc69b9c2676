package dev.stowage.memory;

import static dev.stowage.memory.FakeMemory.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A mapped file that is truncated: no byte of it is touched any more, and nothing but an exception comes of it. */
class TruncatedMappingTest {

    private static final int SIZE = 40_000;
    private static final RowRange ROWS = new RowRange(0, 32, 2, 64);

    @TempDir
    Path folder;

    private Path file = Path.of("");

    @BeforeEach
    void writeFile() throws IOException {
        file = Files.write(folder.resolve("weights.bin"), new byte[SIZE]);
    }

    private void truncate(long size) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(size);
        }
    }

    private static Tensor placed(Buffer buffer) {
        Tensor tensor = bytes("weights", 128);
        buffer.place(tensor, 32_000);
        return tensor;
    }

    private static MemorySegment target() {
        return MemorySegment.ofArray(new byte[128]);
    }

    private static Tensor onHost() {
        Tensor tensor = bytes("elsewhere", 128);
        HostBufferType.standard().allocate(128).place(tensor, 0);
        return tensor;
    }

    private static Named<BiConsumer<Buffer, Tensor>> use(String name, BiConsumer<Buffer, Tensor> use) {
        return Named.of(name, use);
    }

    static List<Named<BiConsumer<Buffer, Tensor>>> reads() {
        return List.of(
                use("get", (buffer, tensor) -> buffer.get(tensor, 0, target())),
                use("getRows", (buffer, tensor) -> buffer.getRows(BoundTensor.of(tensor), ROWS, target(), ROWS)),
                use("copy", (_, tensor) -> Buffer.copy(tensor, onHost())),
                use("segment", (buffer, _) -> buffer.segment()),
                use("tensor segment", (_, tensor) -> TensorData.segment(tensor)));
    }

    static List<Named<BiConsumer<Buffer, Tensor>>> writes() {
        return List.of(
                use("set", (buffer, tensor) -> buffer.set(tensor, 0, target())),
                use("setRows", (buffer, tensor) -> buffer.setRows(BoundTensor.of(tensor), ROWS, target(), ROWS)),
                use("copy onto it", (_, tensor) -> Buffer.copy(onHost(), tensor)),
                use("memset", (buffer, tensor) -> buffer.memset(tensor, 0, 1, (byte) 1)),
                use("clear", (buffer, _) -> buffer.clear((byte) 1)));
    }

    private void requireRefused(Buffer buffer, Tensor tensor, BiConsumer<Buffer, Tensor> use, long sizeNow) {
        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() -> use.accept(buffer, tensor))
                .withMessageContaining(file + " was truncated")
                .withMessageContaining("up to byte " + SIZE)
                .withMessageContaining("it had " + SIZE + " bytes when it was opened and has " + sizeNow + " now")
                .withMessageContaining("load the tensors into memory instead");
    }

    /** Even a byte less is refused: the end of the last page would be read as zeros. */
    @ParameterizedTest
    @MethodSource("reads")
    void isNotRead(BiConsumer<Buffer, Tensor> use) throws IOException {
        try (Buffer buffer = MappedBuffer.map(file, 0, SIZE)) {
            Tensor tensor = placed(buffer);
            for (long sizeNow : new long[] {SIZE - 1, 100, 0}) {
                truncate(sizeNow);
                requireRefused(buffer, tensor, use, sizeNow);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("writes")
    void isNotWrittenWhereItIsMappedPrivately(BiConsumer<Buffer, Tensor> use) throws IOException {
        try (Buffer buffer = MappedBuffer.mapPrivately(file, 0, SIZE)) {
            Tensor tensor = placed(buffer);
            truncate(100);
            requireRefused(buffer, tensor, use, 100);
        }
    }

    @Test
    void bytesThatGoWhileTheyAreCopiedAreRefusedToo() throws IOException {
        try (MappedBuffer buffer = MappedBuffer.map(file, 0, SIZE)) {
            Tensor tensor = placed(buffer);
            truncate(100);
            requireRefused(buffer, tensor, (_, _) -> buffer.copyOut(BoundTensor.of(tensor), 32_000, target()), 100);
        }
    }

    @Test
    void aFileThatWasRestoredIsReadAgain() throws IOException {
        try (MappedBuffer buffer = MappedBuffer.map(file, 0, SIZE)) {
            Tensor tensor = placed(buffer);
            truncate(100);
            assertThatExceptionOfType(AccessException.class).isThrownBy(buffer::requireIntact);
            Files.write(file, new byte[SIZE]);

            assertThatCode(() -> buffer.get(tensor, 0, target())).doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {39_900, 45_000})
    void bytesThatAreNotMappedMayComeAndGo(long sizeNow) throws IOException {
        Files.write(file, new byte[SIZE + 1000]);
        try (MappedBuffer buffer = MappedBuffer.map(file, 100, 39_800)) {
            truncate(sizeNow);
            assertThatCode(buffer::requireIntact).doesNotThrowAnyException();
            assertThatCode(buffer::segment).doesNotThrowAnyException();
        }
    }

    @Test
    void nothingIsMissedWhereNothingIsMapped() throws IOException {
        try (MappedBuffer buffer = MappedBuffer.map(file, SIZE, 0)) {
            truncate(0);
            assertThatCode(buffer::requireIntact).doesNotThrowAnyException();
        }
    }

    @Test
    void anInterruptedThreadMayAsk() {
        try (MappedBuffer buffer = MappedBuffer.map(file, 0, SIZE)) {
            Thread.currentThread().interrupt();
            assertThatCode(buffer::requireIntact).doesNotThrowAnyException();

            assertThat(Thread.interrupted()).as("still interrupted").isTrue();
            assertThatCode(buffer::requireIntact).doesNotThrowAnyException();
        }
    }

    @Test
    void aClosedMappingIsNotIntact() {
        MappedBuffer buffer = MappedBuffer.map(file, 0, SIZE);
        buffer.close();

        assertThatExceptionOfType(ClosedException.class).isThrownBy(buffer::requireIntact);
    }
}
