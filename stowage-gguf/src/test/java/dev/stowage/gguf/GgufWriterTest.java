package dev.stowage.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GgufWriterTest {

    @TempDir
    private Path folder;

    private List<String> filesThere() throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    /** Reads a file and writes what it says and holds. */
    private static void copy(Path from, Path to) {
        try (GgufFile source = GgufFile.open(from)) {
            List<TensorSpec> specs = source.contents().tensors().values().stream()
                    .map(GgufTensor::spec)
                    .toList();
            try (GgufWriter writer = GgufWriter.create(to, source.metadata(), specs)) {
                for (TensorSpec spec : specs) {
                    writer.write(spec.name(), 0, TensorData.segment(source.tensor(spec.name())));
                }
                writer.finish();
            }
        }
    }

    @Test
    void whatIsReadAndWrittenAgainIsTheSameByteForByte() throws IOException {
        for (long seed = 0; seed < 200; seed++) {
            RandomModel model = RandomModel.of(seed);
            Path first = SmallModel.write(folder.resolve("first.gguf"), model.metadata(), model.tensors());
            Path second = folder.resolve("second.gguf");
            copy(first, second);

            assertThat(Files.mismatch(first, second)).as("seed %d", seed).isEqualTo(-1);
            assertThat(GgufHeader.read(second).metadata()).as("seed %d", seed).isEqualTo(model.metadata());
        }
    }

    @Test
    void filesOfOthersKeepTheirBytesToo() throws IOException {
        Path model = TestFiles.lexicon();
        Path again = folder.resolve("again.gguf");
        copy(model, again);

        assertThat(Files.mismatch(model, again)).isEqualTo(-1);
    }

    @Test
    void aFileIsWhatTheFormatSays() throws IOException {
        RawFile expected = RawFile.head(2, 2)
                .key("general.alignment", RawFile.U32)
                .u32(64)
                .key("list", RawFile.ARRAY)
                .u32(RawFile.STRING)
                .u64(2)
                .text("a")
                .text("üb")
                .tensor("w", ElementType.F16.code(), 0, 3)
                .tensor("v", ElementType.F32.code(), 64, 1, 2)
                .padTo(64)
                .bytes(1, 2, 3, 4, 5, 6)
                .padTo(64)
                .u32(Float.floatToIntBits(1f))
                .u32(Float.floatToIntBits(2f))
                .padTo(64);
        GgufMetadata metadata = GgufMetadata.empty()
                .with("general.alignment", GgufValue.uint32(64))
                .with("list", new GgufValue.Array(GgufArray.ofTexts(List.of("a", "üb"))));
        Path file = folder.resolve("model.gguf");
        List<TensorSpec> specs =
                List.of(TensorSpec.of("w", ElementType.F16, 3), TensorSpec.of("v", ElementType.F32, 1, 2));
        try (GgufWriter writer = GgufWriter.create(file, metadata, specs)) {
            writer.write("v", 4, MemorySegment.ofArray(new float[] {2f}));
            writer.write("w", 0, MemorySegment.ofArray(new byte[] {1, 2, 3, 4, 5, 6}));
            writer.write("v", 0, MemorySegment.ofArray(new float[] {1f}));
            writer.finish();
        }

        assertThat(Files.readAllBytes(file)).isEqualTo(expected.toBytes());
    }

    @Test
    void theFinalNameIsGivenOnlyToACompleteFile() throws IOException {
        Path file = folder.resolve("model.gguf");
        Files.writeString(file, "before");
        try (GgufWriter writer = GgufWriter.create(file, SmallModel.metadata(), SmallModel.ALL)) {
            SmallModel.ALL.forEach(spec -> writer.write(spec.name(), 0, MemorySegment.ofArray(SmallModel.data(spec))));
            assertThat(Files.readString(file)).isEqualTo("before");
            writer.finish();
        }

        assertThat(GgufContents.read(file).tensors()).hasSize(SmallModel.ALL.size());
        assertThat(filesThere()).containsExactly("model.gguf");
    }

    @Test
    void aFileThatIsNotFinishedIsNotLeftOver() throws IOException {
        Path file = folder.resolve("model.gguf");
        Files.writeString(file, "before");
        try (GgufWriter writer = GgufWriter.create(file, SmallModel.metadata(), SmallModel.ALL)) {
            writer.write(SmallModel.NORM.name(), 0, MemorySegment.ofArray(SmallModel.data(SmallModel.NORM)));
        }

        assertThat(Files.readString(file)).isEqualTo("before");
        assertThat(filesThere()).containsExactly("model.gguf");
    }

    @Test
    void aFileThatLacksBytesIsNotFinished() throws IOException {
        Path file = folder.resolve("model.gguf");
        try (GgufWriter writer = GgufWriter.create(file, SmallModel.metadata(), List.of(SmallModel.NORM))) {
            writer.write(SmallModel.NORM.name(), 0, MemorySegment.ofArray(new byte[19]));
            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(writer::finish)
                    .withMessageContaining(
                            "of tensor 'output_norm.weight' (f32[5]) 19 bytes were written, but it has 20");
        }

        assertThat(filesThere()).isEmpty();
    }

    @Test
    void bytesOutsideATensorAreRefused() {
        Path file = folder.resolve("model.gguf");
        try (GgufWriter writer = GgufWriter.create(file, SmallModel.metadata(), List.of(SmallModel.NORM))) {
            MemorySegment bytes = MemorySegment.ofArray(new byte[8]);
            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(() -> writer.write(SmallModel.NORM.name(), 13, bytes))
                    .withMessageContaining("cannot write 8 bytes at byte 13");
            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(() -> writer.write("missing", 0, bytes))
                    .withMessageContaining("there is no tensor 'missing'");
        }
    }

    @Test
    void aFinishedFileCannotBeWrittenTo() {
        Path file = folder.resolve("model.gguf");
        try (GgufWriter writer = GgufWriter.create(file, SmallModel.metadata(), List.of())) {
            writer.finish();
            assertThatExceptionOfType(ClosedException.class).isThrownBy(writer::finish);
        }
        assertThat(file).exists();
    }

    @Test
    void manyThreadsCanWriteAtATime() throws IOException {
        List<TensorSpec> specs = IntStream.range(0, 64)
                .mapToObj(i -> TensorSpec.of("t" + i, ElementType.F32, 1000))
                .toList();
        Path file = folder.resolve("model.gguf");
        try (GgufWriter writer = GgufWriter.create(file, GgufMetadata.empty(), specs)) {
            specs.parallelStream()
                    .forEach(spec -> writer.write(spec.name(), 0, MemorySegment.ofArray(SmallModel.data(spec))));
            writer.finish();
        }

        try (GgufFile opened = GgufFile.open(file)) {
            for (TensorSpec spec : specs) {
                assertThat(TensorData.segment(opened.tensor(spec.name())).toArray(ValueLayout.JAVA_BYTE))
                        .isEqualTo(SmallModel.data(spec));
            }
        }
    }

    @Test
    void whatCannotBeWrittenIsSaidBeforeAnythingIsLost() throws IOException {
        Path missing = folder.resolve("missing").resolve("model.gguf");
        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> GgufWriter.create(missing, SmallModel.metadata(), List.of()))
                .withMessageContaining("cannot write " + missing + ": there is no directory");
        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> GgufWriter.create(folder, SmallModel.metadata(), List.of()))
                .withMessageContaining("it is a directory");
        assertThat(filesThere()).isEmpty();
    }

    @Test
    void namesMustBeDifferent() {
        Path file = folder.resolve("model.gguf");
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(
                        () -> GgufWriter.create(file, SmallModel.metadata(), List.of(SmallModel.NORM, SmallModel.NORM)))
                .withMessageContaining("two tensors with the name 'output_norm.weight'");
    }

    @Test
    void whatNoReaderWouldTakeIsNotWritten() {
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufMetadata.empty().with("", GgufValue.uint32(0)));
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufValue.text("half \uD83D a pair"))
                .withMessageContaining("half of a surrogate pair");
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufValue.uint32(1L << 32))
                .withMessageContaining("does not fit into u32");
        GgufMetadata crooked = GgufMetadata.empty().with("general.alignment", GgufValue.uint32(48));
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufWriter.create(folder.resolve("x.gguf"), crooked, List.of()))
                .withMessageContaining("must be a power of two");
    }

    /** Entries and tensors of every kind, by chance. */
    private record RandomModel(GgufMetadata metadata, List<TensorSpec> tensors) {

        private static final ElementType[] TYPES = {
            ElementType.F32, ElementType.F16, ElementType.Q4_0, ElementType.Q6_K, ElementType.I64
        };

        static RandomModel of(long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            GgufMetadata metadata = GgufMetadata.empty();
            int entries = random.nextInt(12);
            for (int i = 0; i < entries; i++) {
                metadata = metadata.with("key." + i + text(random), value(random));
            }
            if (random.nextBoolean()) {
                metadata = metadata.with(GgufMetadata.ALIGNMENT, GgufValue.uint32(8L << random.nextInt(6)));
            }
            List<TensorSpec> tensors = new ArrayList<>();
            int count = random.nextInt(6);
            for (int i = 0; i < count; i++) {
                ElementType type = TYPES[random.nextInt(TYPES.length)];
                tensors.add(TensorSpec.of(
                        "t" + i + text(random),
                        type,
                        (long) type.blockSize() * random.nextInt(3),
                        1 + random.nextInt(3),
                        1 + random.nextInt(2)));
            }
            return new RandomModel(metadata, tensors);
        }

        private static String text(SplittableRandom random) {
            return random.ints(random.nextInt(6), 1, 0xD800)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
        }

        private static GgufValue value(SplittableRandom random) {
            long[] longs = random.longs(random.nextInt(4)).toArray();
            return switch (random.nextInt(9)) {
                case 0 -> new GgufValue.Whole(GgufType.UINT64, random.nextLong());
                case 1 -> new GgufValue.Whole(GgufType.INT8, (byte) random.nextInt());
                case 2 -> new GgufValue.Whole(GgufType.UINT16, random.nextInt(1 << 16));
                case 3 -> new GgufValue.Float32(random.nextFloat());
                case 4 -> new GgufValue.Float64(random.nextDouble());
                case 5 -> new GgufValue.Bool(random.nextBoolean());
                case 6 -> GgufValue.text(text(random));
                case 7 -> new GgufValue.Array(GgufArray.ofTexts(List.of(text(random), text(random))));
                default -> new GgufValue.Array(GgufArray.ofWholes(GgufType.INT64, longs));
            };
        }
    }
}
