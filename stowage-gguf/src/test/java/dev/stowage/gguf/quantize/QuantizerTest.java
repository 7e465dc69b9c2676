package dev.stowage.gguf.quantize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.gguf.GgufValue;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.gguf.TestFiles;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuantizerTest {

    @TempDir
    private Path folder;

    private Path out() {
        return folder.resolve("out.gguf");
    }

    private List<String> filesThere() throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static GgufMetadata metadata() {
        return GgufMetadata.empty().with(GgufMetadata.ARCHITECTURE, GgufValue.text("llama"));
    }

    private Path oneMatrix(float... values) {
        TensorSpec spec = TensorSpec.of("blk.0.ffn_up.weight", ElementType.F32, values.length / 2, 2);
        return FloatFile.write(folder.resolve("in.gguf"), metadata(), Map.of(spec, values));
    }

    /** The tensors of a file as the record has them: name, type, and digest of the data. */
    private static List<String> digests(FileType type, Path file) {
        List<String> lines = new ArrayList<>();
        try (GgufFile opened = GgufFile.open(file)) {
            for (GgufTensor tensor : opened.contents().tensors().values()) {
                byte[] data = TensorData.segment(opened.tensor(tensor.name())).toArray(ValueLayout.JAVA_BYTE);
                lines.add(type + " " + tensor.name() + " " + tensor.type() + " " + sha256(data));
            }
        }
        return lines;
    }

    @ParameterizedTest
    @ValueSource(strings = {"Q8_0", "Q4_0", "Q4_K_M", "Q6_K"})
    void aRealModelBecomesByteForByteWhatLlamaCppMakesOfIt(FileType type) throws IOException {
        List<String> expected = Files.readAllLines(TestFiles.resource("lexicon-5m-quantized.txt")).stream()
                .filter(line -> line.startsWith(type + " "))
                .toList();
        Quantizer.to(type).quantize(TestFiles.lexicon(), out());

        assertThat(digests(type, out())).containsExactlyElementsOf(expected.subList(1, expected.size()));
        assertThat(type + " whole-file - " + sha256(Files.readAllBytes(out()))).isEqualTo(expected.getFirst());
        assertThat(filesThere()).containsExactly("out.gguf");
    }

    @Test
    void theNewFileSaysWhatItIs() {
        Quantizer.to(FileType.Q5_1).quantize(oneMatrix(new float[64]), out());

        try (GgufFile file = GgufFile.open(out())) {
            assertThat(file.metadata().whole(GgufMetadata.FILE_TYPE)).isEqualTo(9);
            assertThat(file.metadata().whole(GgufMetadata.QUANTIZATION_VERSION)).isEqualTo(2);
            assertThat(file.metadata().architecture()).isEqualTo("llama");
        }
    }

    @Test
    void theNumberOfThreadsDoesNotShow() throws IOException {
        Quantizer.to(FileType.Q5_0).withThreads(1).quantize(TestFiles.lexicon(), out());
        Path other = folder.resolve("other.gguf");
        Quantizer.to(FileType.Q5_0).withThreads(7).quantize(TestFiles.lexicon(), other);

        assertThat(Files.mismatch(out(), other)).isEqualTo(-1);
    }

    @Test
    void floatsGoThereAndBackWithoutLoss() {
        float[] values = new float[64];
        for (int i = 0; i < values.length; i++) {
            values[i] = (i - 32) / 8f;
        }
        Path halves = folder.resolve("halves.gguf");
        Quantizer.to(FileType.F16).quantize(oneMatrix(values), halves);
        Quantizer.to(FileType.F32).quantize(halves, out());

        try (GgufFile file = GgufFile.open(out())) {
            assertThat(TensorData.getFloats(file.tensor("blk.0.ffn_up.weight"))).isEqualTo(values);
        }
        try (GgufFile file = GgufFile.open(halves)) {
            assertThat(file.contents().tensor("blk.0.ffn_up.weight").type()).isEqualTo(ElementType.F16);
        }
    }

    @Test
    void aSplitModelBecomesOneFile() {
        for (int part = 0; part < 2; part++) {
            TensorSpec spec = TensorSpec.of("blk." + part + ".ffn_up.weight", ElementType.F32, 32, 2);
            FloatFile.write(
                    folder.resolve("m-0000" + (part + 1) + "-of-00002.gguf"),
                    (part == 0 ? metadata() : GgufMetadata.empty())
                            .with("split.no", GgufValue.uint32(part))
                            .with("split.count", GgufValue.uint32(2))
                            .with("split.tensors.count", GgufValue.uint32(2)),
                    List.of(spec));
        }
        Quantizer.to(FileType.Q8_0).quantize(folder.resolve("m-00001-of-00002.gguf"), out());

        try (GgufFile file = GgufFile.open(out())) {
            assertThat(file.contents().parts()).hasSize(1);
            assertThat(file.contents().tensors()).hasSize(2);
            assertThat(file.metadata().entries().keySet()).noneMatch(key -> key.startsWith("split."));
        }
    }

    @Test
    void progressIsReportedUntilAllIsDone() {
        List<QuantizeProgress> reports = new ArrayList<>();
        Quantizer.to(FileType.Q4_0).withThreads(2).withProgress(reports::add).quantize(TestFiles.lexicon(), out());

        assertThat(reports).extracting(QuantizeProgress::doneBytes).isSorted();
        assertThat(reports.getLast().doneBytes()).isEqualTo(reports.getLast().totalBytes());
        assertThat(reports).extracting(QuantizeProgress::tensor).contains("token_embd.weight", "blk.5.ffn_up.weight");
    }

    @Test
    void aFailureInTheMiddleLeavesWhatWasThere() throws IOException {
        Files.writeString(out(), "before");

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> Quantizer.to(FileType.Q4_0)
                        .withProgress(_ -> {
                            throw new IllegalStateException("enough");
                        })
                        .quantize(TestFiles.lexicon(), out()))
                .withMessage("enough");
        assertThat(Files.readString(out())).isEqualTo("before");
        assertThat(filesThere()).containsExactly("out.gguf");
    }

    @Test
    void whatIsQuantisedIsNotQuantisedAgainUnlessAllowed() throws IOException {
        Path first = folder.resolve("first.gguf");
        Quantizer.to(FileType.Q8_0).quantize(TestFiles.lexicon(), first);

        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> Quantizer.to(FileType.Q4_0).quantize(first, out()))
                .withMessageContaining("is quantised already");
        assertThat(filesThere()).containsExactly("first.gguf");

        Quantizer.to(FileType.Q4_0).allowingRequantization(true).quantize(first, out());
        assertThat(filesThere()).containsExactly("first.gguf", "out.gguf");
    }

    @Test
    void quantisingToWhatItIsKeepsTheNumbers() throws IOException {
        Path first = folder.resolve("first.gguf");
        Quantizer.to(FileType.Q8_0).quantize(TestFiles.lexicon(), first);
        Quantizer.to(FileType.Q8_0).quantize(first, out());

        assertThat(Files.mismatch(first, out())).isEqualTo(-1);
    }

    @Test
    void theModelItselfIsNotOverwritten() {
        Path in = oneMatrix(new float[64]);

        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> Quantizer.to(FileType.Q8_0).quantize(in, in))
                .withMessageContaining("is the model that is read");
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY})
    void numbersThatAreNoneAreNamed(float wrong) throws IOException {
        float[] values = new float[64];
        values[37] = wrong;

        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> Quantizer.to(FileType.Q4_0).quantize(oneMatrix(values), out()))
                .withMessage("element 37 of tensor 'blk.0.ffn_up.weight' (f32[32, 2]) is " + wrong
                        + ", which cannot be quantised");
        assertThat(filesThere()).containsExactly("in.gguf");
    }

    @Test
    void numbersTooLargeForTheTypeAreNamed() {
        float[] values = new float[64];
        values[5] = 70_000;
        Path in = oneMatrix(values);

        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> Quantizer.to(FileType.F16).quantize(in, out()))
                .withMessageContaining("element 5 of tensor")
                .withMessageContaining("is 70000.0, which is too large for f16: choose BF16 or F32");
        Quantizer.to(FileType.BF16).quantize(in, out());
        Quantizer.to(FileType.Q8_0).quantize(in, out());
    }

    @Test
    void wholeNumbersCannotBeQuantised() {
        TensorSpec spec = TensorSpec.of("blk.0.table.weight", ElementType.I32, 32, 2);
        Path in = FloatFile.write(folder.resolve("in.gguf"), metadata(), List.of(spec));

        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> Quantizer.to(FileType.Q8_0).quantize(in, out()))
                .withMessageContaining("there is no way from i32");
    }
}
