package dev.stowage.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.AccessException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.OpenFile;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that others replace, truncate or read with interrupted threads while they are open. */
class ChangingFilesTest {

    private static final TensorSpec WEIGHTS = TensorSpec.of("weights", ElementType.I8, 64);
    private static final String KEY = "test.generation";

    @TempDir
    private Path folder;

    /** A model whose header says which generation it is, and whose weights are all that number. */
    private Path write(String name, int generation) {
        GgufMetadata metadata = SmallModel.metadata().with(KEY, GgufValue.uint32(generation));
        Path file = folder.resolve(name);
        try (GgufWriter writer = GgufWriter.create(file, metadata, List.of(WEIGHTS))) {
            writer.write(WEIGHTS.name(), 0, MemorySegment.ofArray(dataOf(generation)));
            writer.finish();
        }
        return file;
    }

    private static byte[] dataOf(int generation) {
        byte[] data = new byte[(int) WEIGHTS.byteSize()];
        Arrays.fill(data, (byte) generation);
        return data;
    }

    private static void requireOneGeneration(GgufFile opened) {
        int generation = (int) opened.metadata().whole(KEY);
        assertThat(TensorData.segment(opened.tensor(WEIGHTS.name())).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(dataOf(generation));
        byte[] read = new byte[(int) WEIGHTS.byteSize()];
        opened.read(opened.contents().tensor(WEIGHTS.name()), 0, MemorySegment.ofArray(read));
        assertThat(read).isEqualTo(dataOf(generation));
    }

    private static void replace(Path with, Path file) {
        try {
            Files.move(with, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatWasOpenedIsMappedThoughAnotherFileHasItsPathByThen() {
        Path file = write("model.gguf", 1);
        List<OpenFile> files = new ArrayList<>();
        GgufContents contents = GgufContents.read(file, files);
        replace(write("next.gguf", 2), file);

        try (GgufFile opened = GgufFile.map(contents, files)) {
            assertThat(opened.metadata().whole(KEY)).isEqualTo(1);
            requireOneGeneration(opened);
        }
    }

    @Test
    void headerAndWeightsAreOfOneFileHoweverOftenItIsReplacedMeanwhile() throws Exception {
        Path file = write("model.gguf", 1);
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService replacing = Executors.newSingleThreadExecutor()) {
            Future<?> replacer = replacing.submit(() -> {
                for (int generation = 2; !done.get(); generation = generation % 100 + 1) {
                    replace(write("next.gguf", generation), file);
                }
            });
            try {
                for (int i = 0; i < 1500; i++) {
                    try (GgufFile opened = GgufFile.open(file)) {
                        requireOneGeneration(opened);
                    }
                }
            } finally {
                done.set(true);
            }
            replacer.get();
        }
    }

    @Test
    void aPartThatIsReplacedWhileOthersAreOpenedIsRefused() throws IOException {
        SmallModel.writeParts(folder);
        Path first = SmallModel.part(folder, 0, SmallModel.ALL.size());
        try (OpenFile opened = OpenFile.open(first)) {
            assertThatCode(() -> GgufContents.requireNotReplaced(opened)).doesNotThrowAnyException();
            replace(Files.copy(first, folder.resolve("copy")), first);

            assertThatExceptionOfType(MalformedDataException.class)
                    .isThrownBy(() -> GgufContents.requireNotReplaced(opened))
                    .withMessageStartingWith(first + " was replaced while the parts of its model were opened");
        }
    }

    /** A model of two parts in a folder of its own, both of one generation. */
    private Path writeParts(int generation) throws IOException {
        Path own = Files.createDirectory(folder.resolve("v" + generation));
        for (int part = 0; part < 2; part++) {
            GgufMetadata metadata = SmallModel.metadata()
                    .with(KEY, GgufValue.uint32(generation))
                    .with("split.no", new GgufValue.Whole(GgufType.UINT16, part))
                    .with("split.count", new GgufValue.Whole(GgufType.UINT16, 2));
            TensorSpec spec = TensorSpec.of("weights." + part, ElementType.I8, 8);
            SmallModel.write(SmallModel.part(own, part, 2), metadata, List.of(spec));
        }
        return own;
    }

    private void point(Path link, Path to) {
        try {
            Path next = folder.resolve("next");
            Files.deleteIfExists(next);
            replace(Files.createSymbolicLink(next, to), link);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void partsAreOfOneModelThoughTheirFolderIsExchangedMeanwhile() throws Exception {
        Path[] versions = {writeParts(1), writeParts(2)};
        Path link = folder.resolve("current");
        point(link, versions[0]);
        Random random = new Random(3);
        int opened = 0;
        try (ExecutorService exchanging = Executors.newSingleThreadExecutor()) {
            for (int i = 1; i <= 800; i++) {
                int spins = random.nextInt(100_000);
                Path next = versions[i % 2];
                Future<?> exchange = exchanging.submit(() -> {
                    for (int spin = 0; spin < spins; spin++) {
                        Thread.onSpinWait();
                    }
                    point(link, next);
                });
                try (GgufFile file = GgufFile.open(SmallModel.part(link, i % 2, 2))) {
                    opened++;
                    assertThat(file.contents().parts())
                            .extracting(part -> part.metadata().whole(KEY))
                            .containsOnly(file.metadata().whole(KEY));
                } catch (MalformedDataException e) {
                    assertThat(e).hasMessageContaining("was replaced while");
                }
                exchange.get();
            }
        }
        assertThat(opened).isPositive();
    }

    @Test
    void anInterruptedThreadReadsAndLeavesTheFileToOthers() {
        Path file = write("model.gguf", 1);
        try (GgufFile opened = GgufFile.open(file)) {
            Thread.currentThread().interrupt();
            requireOneGeneration(opened);

            assertThat(Thread.interrupted()).as("still interrupted").isTrue();
            requireOneGeneration(opened);
        }
    }

    @Test
    void anInterruptedThreadOpensAModel() {
        Path file = write("model.gguf", 1);
        Thread.currentThread().interrupt();
        try (GgufFile opened = GgufFile.open(file)) {
            requireOneGeneration(opened);
        } finally {
            assertThat(Thread.interrupted()).as("still interrupted").isTrue();
        }
    }

    @Test
    void aThreadThatIsInterruptedWhileItReadsLeavesTheFileToOthers() throws Exception {
        Path file = write("model.gguf", 1);
        try (GgufFile opened = GgufFile.open(file);
                ExecutorService reading = Executors.newSingleThreadExecutor()) {
            CountDownLatch begun = new CountDownLatch(1);
            AtomicBoolean done = new AtomicBoolean();
            Thread[] reader = new Thread[1];
            Future<?> reads = reading.submit(() -> {
                reader[0] = Thread.currentThread();
                begun.countDown();
                while (!done.get()) {
                    requireOneGeneration(opened);
                }
            });
            begun.await();
            for (int i = 0; i < 2000; i++) {
                reader[0].interrupt();
                requireOneGeneration(opened);
            }
            done.set(true);
            reads.get();
        }
    }

    @Test
    void weightsOfATruncatedFileAreRefusedWhereverTheyAreReadInPlace() throws IOException {
        Path file = write("model.gguf", 1);
        Tensor elsewhere = Tensor.leaf(WEIGHTS.layout()).named("elsewhere");
        try (GgufFile opened = GgufFile.open(file);
                Buffer buffer = HostBufferType.standard().allocate(WEIGHTS.byteSize())) {
            buffer.place(elsewhere, 0);
            Tensor tensor = opened.tensor(WEIGHTS.name());
            long size = Files.size(file);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(size - 1);
            }

            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(() -> Buffer.copy(tensor, elsewhere))
                    .withMessageContainingAll(file + " was truncated", size + " bytes", (size - 1) + " now");
            assertThatExceptionOfType(AccessException.class).isThrownBy(() -> TensorData.segment(tensor));
        }
    }
}
