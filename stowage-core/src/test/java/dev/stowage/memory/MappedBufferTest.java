package dev.stowage.memory;

import static dev.stowage.memory.FakeMemory.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MappedBufferTest {

    private static final int FILE_SIZE = 10_000;

    @TempDir
    Path folder;

    private final byte[] content = new byte[FILE_SIZE];
    private Path file = Path.of("");

    @BeforeEach
    void writeFile() throws IOException {
        new Random(5).nextBytes(content);
        file = Files.write(folder.resolve("weights.bin"), content);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 32, 4096, 4128, 9984})
    void readsTensorsInPlace(long begin) {
        try (MappedBuffer buffer = MappedBuffer.map(file, begin, FILE_SIZE - begin)) {
            Tensor tensor = bytes("weights", 16);
            buffer.place(tensor, 0);
            assertThat(contentOf(tensor)).isEqualTo(Arrays.copyOfRange(content, (int) begin, (int) begin + 16));
            assertThat(buffer.isHost()).isTrue();
            assertThat(buffer.path()).isEqualTo(file);
            assertThat(buffer).hasToString("mapped (" + (FILE_SIZE - begin) + " bytes, ANY) of " + file);
        }
    }

    @Test
    void countsAlignmentFromTheBeginningOfTheFile() {
        try (Buffer buffer = MappedBuffer.map(file, 40, 1000)) {
            Tensor tensor = bytes("weights", 16);
            assertThatThrownBy(() -> buffer.place(tensor, 32)).isInstanceOf(AccessException.class);
            buffer.place(tensor, 24);
            assertThat(contentOf(tensor)).isEqualTo(Arrays.copyOfRange(content, 64, 80));
        }
    }

    @Test
    void placesTensorsAtTheAlignmentAskedFor() {
        try (Buffer buffer = MappedBuffer.map(file, 0, 1000, 8)) {
            Tensor tensor = bytes("weights", 16);
            buffer.place(tensor, 72);
            assertThat(contentOf(tensor)).isEqualTo(Arrays.copyOfRange(content, 72, 88));
            assertThatThrownBy(() -> buffer.place(tensor, 76)).isInstanceOf(AccessException.class);
        }
    }

    @Test
    void refusesWritesWhereItIsMappedForReading() throws IOException {
        try (Buffer buffer = MappedBuffer.map(file, 0, FILE_SIZE)) {
            Tensor tensor = bytes("weights", 16);
            buffer.place(tensor, 0);
            assertThat(buffer.isReadOnly()).isTrue();
            assertThatThrownBy(() -> buffer.set(tensor, 0, MemorySegment.ofArray(new byte[1])))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContainingAll("read-only", file.toString());
            assertThatThrownBy(() -> buffer.memset(tensor, 0, 1, (byte) 0)).isInstanceOf(AccessException.class);
            assertThatThrownBy(() -> buffer.clear((byte) 0)).isInstanceOf(AccessException.class);
            assertThat(buffer.segment().isReadOnly()).isTrue();
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(content);
    }

    @Test
    void refusesRowsCopiesAndViewsWhereItIsMappedForReading() throws IOException {
        RowRange rows = new RowRange(0, 4, 2, 8);
        try (Buffer buffer = MappedBuffer.map(file, 0, FILE_SIZE);
                Buffer host = HostBufferType.standard().allocate(64)) {
            Tensor tensor = bytes("weights", 16);
            buffer.place(tensor, 0);
            Tensor from = bytes("from", 16);
            host.place(from, 0);
            MemorySegment source = MemorySegment.ofArray(new byte[16]);
            assertThatThrownBy(() -> buffer.setRows(BoundTensor.of(tensor), rows, source, rows))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("read-only");
            assertThatThrownBy(() -> Buffer.copy(from, tensor))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("read-only");
            Tensor view = FakeMemory.view(tensor, "view", 8, 4);
            assertThatThrownBy(() -> buffer.set(view, 0, source.asSlice(0, 4))).isInstanceOf(AccessException.class);
            assertThatThrownBy(() -> TensorData.segment(tensor).fill((byte) 0))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(contentOf(tensor)).isEqualTo(Arrays.copyOf(content, 16));
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(content);
    }

    @Test
    void mapsTheFileThatWasOpenedAndClosesIt() throws IOException {
        OpenFile opened = OpenFile.open(file);
        Path other = Files.write(folder.resolve("other.bin"), new byte[FILE_SIZE]);
        Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
        try (MappedBuffer buffer = MappedBuffer.map(opened, 32, 1000, 8)) {
            Tensor tensor = bytes("weights", 16);
            buffer.place(tensor, 0);
            assertThat(contentOf(tensor)).isEqualTo(Arrays.copyOfRange(content, 32, 48));
            assertThat(buffer.path()).isEqualTo(file);
        }
        assertThatThrownBy(opened::size).isInstanceOf(ClosedException.class);
    }

    @Test
    void leavesAFileOpenOfWhichItCannotMapThatMuch() throws IOException {
        try (OpenFile opened = OpenFile.open(file)) {
            assertThatThrownBy(() -> MappedBuffer.map(opened, 1, FILE_SIZE, 8)).isInstanceOf(AccessException.class);
            assertThatThrownBy(() -> MappedBuffer.map(opened, 0, 1, 24)).isInstanceOf(AllocationException.class);
            assertThat(opened.size()).isEqualTo(FILE_SIZE);
        }
    }

    @Test
    void isMappedByAThreadThatIsInterrupted() {
        Thread.currentThread().interrupt();
        try (Buffer buffer = MappedBuffer.map(file, 0, FILE_SIZE);
                Buffer writable = MappedBuffer.mapPrivately(file, 0, FILE_SIZE)) {
            assertThat(buffer.size()).isEqualTo(writable.size()).isEqualTo(FILE_SIZE);
        } finally {
            assertThat(Thread.interrupted()).as("still interrupted").isTrue();
        }
    }

    @Test
    void keepsWhatIsWrittenToAPrivateMappingFromTheFile() throws IOException {
        try (Buffer buffer = MappedBuffer.mapPrivately(file, 32, 1000)) {
            Tensor tensor = bytes("weights", 4);
            buffer.place(tensor, 0);
            buffer.set(tensor, 0, MemorySegment.ofArray(new byte[] {1, 2, 3, 4}));
            assertThat(buffer.isReadOnly()).isFalse();
            assertThat(contentOf(tensor)).containsExactly(1, 2, 3, 4);
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(content);
    }

    @Test
    void mapsNoBytesAtAll() {
        try (Buffer buffer = MappedBuffer.map(file, FILE_SIZE, 0)) {
            assertThat(buffer.size()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 10001",
        "1, 10000",
        "10000, 1",
        "10001, 0",
        "-1, 1",
        "0, -1",
        "9223372036854775807, 1",
        "1, 9223372036854775807"
    })
    void refusesBytesTheFileDoesNotHave(long offset, long length) throws IOException {
        String[] message = {file.toString(), length + " bytes at byte " + offset, FILE_SIZE + " bytes"};
        assertThatThrownBy(() -> MappedBuffer.map(file, offset, length))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll(message);
        assertThatThrownBy(() -> MappedBuffer.mapPrivately(file, offset, length))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll(message);
        assertThat(Files.size(file)).isEqualTo(FILE_SIZE);
    }

    @Test
    void reportsAFileThatIsNotThere() {
        Path missing = folder.resolve("missing.bin");
        assertThatThrownBy(() -> MappedBuffer.map(missing, 0, 1))
                .isInstanceOf(AllocationException.class)
                .hasMessageContaining(missing.toString())
                .hasCauseInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> MappedBuffer.mapPrivately(missing, 0, 1))
                .isInstanceOf(AllocationException.class)
                .hasCauseInstanceOf(NoSuchFileException.class);
        assertThat(missing).doesNotExist();
    }

    @Test
    void refusesAnAlignmentThatIsNotAPowerOfTwo() {
        assertThatThrownBy(() -> MappedBuffer.map(file, 0, 1, 24)).isInstanceOf(AllocationException.class);
    }

    @Test
    void unmapsWhenClosed() {
        MappedBuffer buffer = MappedBuffer.map(file, 0, FILE_SIZE);
        MemorySegment segment = buffer.segment();
        buffer.close();
        assertThat(segment.scope().isAlive()).isFalse();
    }

    private static byte[] contentOf(Tensor tensor) {
        byte[] read = new byte[(int) tensor.byteSize()];
        Buffer.of(tensor).get(tensor, 0, MemorySegment.ofArray(read));
        return read;
    }
}
