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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
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

    /** Reads all of the file in pieces into direct memory and compares. */
    private void verifyPieces(OpenFile file, Random random) throws IOException {
        ByteBuffer target = ByteBuffer.allocateDirect(200_000);
        for (int position = 0; position < SIZE; ) {
            int length = Math.min(1 + random.nextInt(target.capacity()), SIZE - position);
            readAll(file, target.clear().limit(length), position);
            assertThat(target.flip())
                    .as("%d bytes at %d", length, position)
                    .isEqualTo(ByteBuffer.wrap(content, position, length));
            position += length;
        }
    }

    @Test
    void threadsReadAtTheSameTimeAndEachGetsItsBytes() throws Exception {
        try (OpenFile file = OpenFile.open(path);
                ExecutorService threads = Executors.newFixedThreadPool(6)) {
            List<Future<?>> reads = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                Random random = new Random(i);
                reads.add(threads.submit(() -> {
                    verifyPieces(file, random);
                    return null;
                }));
            }
            for (Future<?> read : reads) {
                read.get();
            }
        }
    }

    @Test
    void aThreadThatIsInterruptedWhileItReadsGetsItsBytesAsOthersDo() throws Exception {
        try (OpenFile file = OpenFile.open(path);
                ExecutorService threads = Executors.newFixedThreadPool(3)) {
            List<Future<?>> reads = new ArrayList<>();
            AtomicInteger reading = new AtomicInteger(3);
            Set<Thread> readers = ConcurrentHashMap.newKeySet();
            for (int i = 0; i < 3; i++) {
                Random random = new Random(i);
                reads.add(threads.submit(() -> {
                    readers.add(Thread.currentThread());
                    try {
                        for (int times = 0; times < 5; times++) {
                            verifyPieces(file, random);
                            Thread.interrupted();
                        }
                    } finally {
                        readers.remove(Thread.currentThread());
                        reading.decrementAndGet();
                    }
                    return null;
                }));
            }
            while (reading.get() > 0) {
                readers.forEach(Thread::interrupt);
                Thread.onSpinWait();
            }
            for (Future<?> read : reads) {
                read.get();
            }
            assertThat(file.read(ByteBuffer.allocateDirect(1), 0)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void directReadsStayWithTheFileThatWasOpened(boolean hasReadBefore) throws IOException {
        try (OpenFile file = OpenFile.open(path)) {
            if (hasReadBefore) {
                assertThat(file.read(ByteBuffer.allocateDirect(1), 0)).isEqualTo(1);
            }
            Path other = Files.write(folder.resolve("other.bin"), new byte[SIZE]);
            Files.move(other, path, StandardCopyOption.ATOMIC_MOVE);

            verifyPieces(file, new Random(3));
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
            assertThat(file.read(ByteBuffer.allocateDirect(1), 0)).isEqualTo(1);

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
