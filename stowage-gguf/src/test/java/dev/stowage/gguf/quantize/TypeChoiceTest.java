package dev.stowage.gguf.quantize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.gguf.TestFiles;
import dev.stowage.tensor.ElementType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TypeChoiceTest {

    @TempDir
    private Path folder;

    /** What was recorded of a model: the line for each file type. */
    private static Map<String, String> recorded(String model) throws IOException {
        Map<String, String> lines = new LinkedHashMap<>();
        for (String line : Files.readAllLines(TestFiles.resource("llama-cpp-types.txt"))) {
            String[] words = line.split(" ", 3);
            if (words[0].equals(model)) {
                lines.put(words[1], words[2]);
            }
        }
        return lines;
    }

    /** The same words of a choice made here. */
    private static String line(TypeChoice choice) {
        Map<String, List<String>> byTensor = new TreeMap<>();
        choice.targets()
                .forEach((name, spec) -> byTensor.computeIfAbsent(
                                name.replaceFirst("^blk\\.\\d+\\.", ""), _ -> new ArrayList<>())
                        .add(spec.type().label()));
        return byTensor.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + runs(entry.getValue()))
                .collect(Collectors.joining(" "));
    }

    private static String runs(List<String> labels) {
        List<String> runs = new ArrayList<>();
        int start = 0;
        for (int i = 1; i <= labels.size(); i++) {
            if (i == labels.size() || !labels.get(i).equals(labels.get(start))) {
                runs.add((i - start) + "*" + labels.get(start));
                start = i;
            }
        }
        return String.join("+", runs);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "llama32",
                "llama32gqa",
                "llama80",
                "llama80same",
                "moe8",
                "moe4",
                "falcon",
                "qwen80",
                "odd96",
                "odd128"
            })
    void everyTensorGetsTheTypeThatLlamaCppGivesIt(String model) throws IOException {
        GgufContents contents = SyntheticModel.named(model).writtenTo(folder.resolve("model.gguf"));
        Map<String, String> recorded = recorded(model);

        assertThat(recorded.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        FileType.targets().stream().map(FileType::name).toList());
        recorded.forEach((type, expected) -> assertThat(line(TypeChoice.of(contents, FileType.named(type))))
                .as("%s to %s", model, type)
                .isEqualTo(expected));
    }

    @Test
    void tensorsComeLayerByLayerAndByNameWithin() {
        List<String> names = List.copyOf(TypeChoice.of(GgufContents.read(TestFiles.lexicon()), FileType.Q8_0)
                .targets()
                .keySet());

        assertThat(names).startsWith("output_norm.weight", "token_embd.weight", "blk.0.attn_k.weight");
        assertThat(names).endsWith("blk.5.ffn_norm.weight", "blk.5.ffn_up.weight");
    }

    /** With ten layers and more the order of the names alone would put layer 10 before layer 2. */
    @Test
    void layersAreOrderedByTheirNumbers() {
        GgufContents contents = SyntheticModel.named("moe4").writtenTo(folder.resolve("model.gguf"));

        List<String> queries = TypeChoice.of(contents, FileType.F16).targets().keySet().stream()
                .filter(name -> name.endsWith("attn_q.weight"))
                .toList();

        assertThat(queries.get(2)).isEqualTo("blk.2.attn_q.weight");
        assertThat(queries.get(10)).isEqualTo("blk.10.attn_q.weight");
    }

    @ParameterizedTest
    @CsvSource({"q4_k, Q4_K_M", "Q5_K, Q5_K_M", "q3_K, Q3_K_M", "q4_0, Q4_0", "bf16, BF16", "Q6_K, Q6_K"})
    void namesAreThoseOfLlamaCpp(String name, FileType expected) {
        assertThat(FileType.named(name)).isEqualTo(expected);
    }

    @Test
    void anUnknownNameIsAnsweredWithTheKnownOnes() {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> FileType.named("q7"))
                .withMessageStartingWith("there is no type 'q7' to quantise to; there are F32, F16, BF16, Q8_0");
    }

    @Test
    void whatNeedsAnImportanceMatrixIsRefused() {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> FileType.named("IQ2_XS"))
                .withMessageContaining("needs to know how important each column");
        assertThat(FileType.ofCode(20)).hasValue(FileType.IQ2_XS);
        assertThat(FileType.ofCode(38)).hasValue(FileType.MXFP4_MOE);
        assertThat(FileType.ofCode(41)).hasValue(FileType.Q2_0);
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> FileType.named("MXFP4_MOE"))
                .withMessageContaining("files of it can be read");
    }

    @Test
    void rowsThatSuitNothingBecomeHalves() {
        GgufMetadata metadata = SyntheticModel.named("odd96").metadata();
        TensorSpec crooked = TensorSpec.of("blk.0.ffn_up.weight", ElementType.F32, 33, 4);
        Path file = folder.resolve("crooked.gguf");
        FloatFile.write(file, metadata, List.of(crooked));

        for (FileType type : List.of(FileType.Q8_0, FileType.Q4_K_M, FileType.Q4_0, FileType.TQ1_0)) {
            assertThat(TypeChoice.of(GgufContents.read(file), type).targets().sequencedValues())
                    .as("%s", type)
                    .extracting(TensorSpec::type)
                    .containsExactly(ElementType.F16);
        }
    }
}
