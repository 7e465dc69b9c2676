package dev.stowage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.ClosedException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OpenFileTest {

    private static final int SIZE = 3 << 20;

    @TempDir
    Path folder;

    private final byte[] content = new byte[SIZE];
    private Path path = Path.of("");

    @BeforeEach
    void writeFile() throws IOException {
        new Random(7).nextBytes(content);
        path = Files.write(folder.resolve("file.bin"), content);
    }

    private void replaceByACopy() throws IOException {
        Path copy = Files.copy(path, folder.resolve("copy.bin"));
        Files.move(copy, path, StandardCopyOption.ATOMIC_MOVE);
    }

    private static int readAll(OpenFile file, ByteBuffer target, long position) throws IOException {
        int done = 0;
        while (target.hasRemaining()) {
            int got = file.read(target, position + done);
            if (got < 0) {
                break;
            }
            assertThat(got).isPositive();
            done += got;
        }
        return done;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readsAnyBytesIntoAnyBuffer(boolean direct) throws IOException {
        try (OpenFile file = OpenFile.open(path)) {
            for (int position : new int[] {0, 1, 4097, SIZE - 10, SIZE}) {
                ByteBuffer target = direct ? ByteBuffer.allocateDirect(SIZE) : ByteBuffer.allocate(SIZE);
                int got = readAll(file, target.position(5), position);

                assertThat(got).isEqualTo(Math.min(SIZE - 5, SIZE - position));
                byte[] read = new byte[got];
                target.get(5, read);
                assertThat(Arrays.equals(read, 0, got, content, position, position + got))
                        .as("%d bytes at %d", got, position)
                        .isTrue();
            }
        }
    }

    @Test
    void readsNothingIntoAFullBufferAndSaysWhereTheFileEnds() throws IOException {
        try (OpenFile file = OpenFile.open(path)) {
            assertThat(file.read(ByteBuffer.allocate(0), 0)).isZero();
            assertThat(file.read(ByteBuffer.allocate(1), SIZE)).isEqualTo(-1);
            assertThat(file.read(ByteBuffer.allocateDirect(1), SIZE + 1L)).isEqualTo(-1);
        }
    }

    @Test
    void staysWithTheFileThatWasOpened() throws IOException {
        try (OpenFile file = OpenFile.open(path)) {
            Path other = Files.write(folder.resolve("other.bin"), new byte[10]);
            assertThat(file.isStillAtItsPath()).isTrue();
            Files.move(other, path, StandardCopyOption.ATOMIC_MOVE);

            assertThat(file.isStillAtItsPath()).isFalse();
            assertThat(file.size()).isEqualTo(SIZE);
            ByteBuffer target = ByteBuffer.allocate(SIZE);
            readAll(file, target, 0);
            assertThat(target.array()).isEqualTo(content);
        }
    }

    @Test
    void noticesAnEqualFileAtItsPathAndThatThereIsNone() throws IOException {
        try (OpenFile file = OpenFile.open(path)) {
            replaceByACopy();
            assertThat(file.isStillAtItsPath()).isFalse();
            Files.delete(path);
            assertThat(file.isStillAtItsPath()).isFalse();
        }
    }

    @Test
    void saysWhatSizeItHasAndHad() throws IOException {
        try (OpenFile file = OpenFile.open(path)) {
            Files.write(path, new byte[100]);

            assertThat(file.size()).isEqualTo(100);
            assertThat(file.sizeWhenOpened()).isEqualTo(SIZE);
            assertThat(file.path()).isEqualTo(path);
        }
    }

    @Test
    void isNotClosedByAnInterruptedThread() throws IOException {
        try (OpenFile file = OpenFile.open(path)) {
            Thread.currentThread().interrupt();
            assertThat(file.size()).isEqualTo(SIZE);
            assertThat(file.read(ByteBuffer.allocate(1), 0)).isEqualTo(1);

            assertThat(Thread.interrupted()).as("still interrupted").isTrue();
            assertThat(file.read(ByteBuffer.allocate(1), 0)).isEqualTo(1);
        }
    }

    @Test
    void cannotBeUsedOnceItIsClosed() throws IOException {
        OpenFile file = OpenFile.open(path);
        file.close();
        file.close();

        assertThatExceptionOfType(ClosedException.class).isThrownBy(file::size).withMessageContaining(path.toString());
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> file.read(ByteBuffer.allocate(1), 0));
        assertThatExceptionOfType(ClosedException.class).isThrownBy(file::isStillAtItsPath);
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> MappedBuffer.map(file, 0, 1, 1));
    }

    @Test
    void aFileThatIsNotThereIsNotCreated() {
        Path missing = folder.resolve("missing.bin");

        assertThatExceptionOfType(NoSuchFileException.class).isThrownBy(() -> OpenFile.open(missing));
        assertThatExceptionOfType(NoSuchFileException.class).isThrownBy(() -> OpenFile.openForPrivateMapping(missing));
        assertThat(missing).doesNotExist();
    }

    @Test
    void aFolderIsRefused() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> OpenFile.open(folder))
                .withMessageContaining(folder.toString());
    }

    @Test
    void aFileOfAnotherFileSystemIsRefused() throws IOException {
        URI zip = URI.create("jar:" + folder.resolve("files.zip").toUri());
        try (FileSystem files = FileSystems.newFileSystem(zip, Map.of("create", "true"))) {
            Path inside = Files.write(files.getPath("/file.bin"), content);

            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> OpenFile.open(inside))
                    .withMessageContaining("copy it there first");
        }
    }
}
