package dev.stowage.bench.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.cli.bench.ModelMaker;
import dev.stowage.cli.bench.ModelMakerRequest;
import dev.stowage.cli.bench.ModelMakerShapes;
import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.gguf.GgufValue;
import dev.stowage.gguf.GgufWriter;
import dev.stowage.gguf.quantize.FileType;
import dev.stowage.gguf.quantize.Quantizer;
import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RandomModelMakerTest {

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();

    private Path make(String name, String shape, FileType type, long seed, int threads) {
        Path file = folder.resolve(name);
        make(new ModelMakerRequest(file, shape, type, seed, threads, null));
        return file;
    }

    private void make(ModelMakerRequest request) {
        new RandomModelMaker().make(request, new PrintWriter(out), new PrintWriter(new StringWriter()));
    }

    private GgufContents made(String shape) {
        return GgufContents.read(make("model.gguf", shape, FileType.F16, 1, 2));
    }

    private static String shape(GgufContents contents, String tensor) {
        return contents.tensor(tensor).layout().toString();
    }

    private static float[] numbers(Path model, String name) {
        try (GgufFile file = GgufFile.open(model);
                Arena arena = Arena.ofConfined()) {
            GgufTensor tensor = file.contents().tensor(name);
            MemorySegment bytes = arena.allocate(tensor.byteSize());
            file.read(tensor, 0, bytes);
            float[] numbers = new float[Math.toIntExact(tensor.shape().elements())];
            BlockFormat.of(tensor.type()).dequantize(bytes, 0, numbers, 0, numbers.length);
            return numbers;
        }
    }

    @Test
    void isFoundByTheCommand() {
        assertThat(ServiceLoader.load(ModelMaker.class).findFirst()).containsInstanceOf(RandomModelMaker.class);
    }

    @Test
    void thereIsARecipeForEveryShapeTheCommandKnows() {
        assertThat(ModelMakerShapes.NAMES)
                .allSatisfy(name -> assertThat(ModelRecipes.named(name).architecture())
                        .isIn(
                                "llama",
                                "qwen2",
                                "qwen3",
                                "qwen3moe",
                                "gemma2",
                                "gemma3",
                                "phi3",
                                "smollm3",
                                "olmo2",
                                "granite",
                                "granitemoe",
                                "gpt-oss",
                                "minicpm",
                                "bert",
                                "nomic-bert"));
    }

    @Test
    void thereIsNoRecipeForOtherNames() {
        assertThatThrownBy(() -> ModelRecipes.named("tiny-falcon"))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("tiny-falcon");
    }

    @Test
    void theLargeOneHasTheParametersOfTinyLlama() {
        long parameters = RecipeTensors.of(ModelRecipes.named("tinyllama-1.1b"), 32_000).stream()
                .mapToLong(tensor -> tensor.spec().shape().elements())
                .sum();

        assertThat(parameters).isEqualTo(1_100_048_384L);
    }

    @ParameterizedTest
    @CsvSource({
        "tiny-llama,Q8_0",
        "tiny-llama-wide,Q4_K_M",
        "tiny-llama-moe,Q4_0",
        "tiny-qwen2,Q4_0",
        "tiny-llama-frequencies,Q6_K"
    })
    void aQuantisedModelIsWhatQuantisingTheOneOfF16Gives(String shape, FileType type) throws IOException {
        Path plain = make("f16.gguf", shape, FileType.F16, 5, 2);
        Path made = make("made.gguf", shape, type, 5, 2);
        Path quantised = folder.resolve("quantised.gguf");
        Quantizer.to(type).quantize(plain, quantised);

        assertThat(Files.mismatch(made, quantised)).isEqualTo(-1);
    }

    @Test
    void theSameSeedGivesTheSameFileWithAnyNumberOfThreads() throws IOException {
        Path one = make("one.gguf", "tiny-llama-wide", FileType.Q4_0, 9, 1);
        Path three = make("three.gguf", "tiny-llama-wide", FileType.Q4_0, 9, 3);

        assertThat(Files.mismatch(one, three)).isEqualTo(-1);
    }

    @Test
    void anotherSeedGivesOtherWeights() {
        Path one = make("one.gguf", "tiny-llama", FileType.F16, 1, 1);
        Path two = make("two.gguf", "tiny-llama", FileType.F16, 2, 1);

        assertThat(numbers(one, "output.weight")).isNotEqualTo(numbers(two, "output.weight"));
    }

    @Test
    void tensorsOfOneShapeHaveDifferentWeights() {
        Path file = make("model.gguf", "tiny-llama", FileType.F16, 1, 1);

        assertThat(numbers(file, "blk.0.ffn_up.weight")).isNotEqualTo(numbers(file, "blk.0.ffn_gate.weight"));
    }

    @Test
    void aMatrixKeepsTheSizeOfWhatItIsMultipliedWith() {
        float[] numbers = numbers(make("model.gguf", "tiny-llama-wide", FileType.F16, 1, 1), "blk.1.ffn_down.weight");
        double sum = 0;
        double squares = 0;
        for (float number : numbers) {
            sum += number;
            squares += (double) number * number;
        }

        // Rows of 512; of so many numbers the mean strays by a few thousandths of the deviation.
        assertThat(squares / numbers.length * 512).isCloseTo(1, within(0.02));
        assertThat(sum / numbers.length * Math.sqrt(512)).isCloseTo(0, within(0.02));
    }

    @Test
    void theOutputIsBetterThanTheRestAsLlamaCppHasIt() {
        GgufContents contents = GgufContents.read(make("model.gguf", "tiny-llama-wide", FileType.Q4_0, 1, 2));

        assertThat(contents.tensor("output.weight").type()).isEqualTo(ElementType.Q6_K);
        assertThat(contents.tensor("token_embd.weight").type()).isEqualTo(ElementType.Q4_0);
        assertThat(contents.tensor("output_norm.weight").type()).isEqualTo(ElementType.F32);
    }

    @Test
    void aTiedModelHasNoOutput() {
        assertThat(made("tiny-llama-tied").find("output.weight")).isEmpty();
    }

    @Test
    void headsMayBeLargerThanTheirShareOfTheWidth() {
        GgufContents contents = made("tiny-llama-heads");

        assertThat(contents.metadata().whole("llama.attention.key_length")).isEqualTo(32);
        assertThat(contents.metadata().whole("llama.rope.dimension_count")).isEqualTo(32);
        assertThat(shape(contents, "blk.0.attn_q.weight")).isEqualTo("f16[64, 128]");
        assertThat(shape(contents, "blk.0.attn_k.weight")).isEqualTo("f16[64, 32]");
        assertThat(shape(contents, "blk.0.attn_output.weight")).isEqualTo("f16[128, 64]");
    }

    @Test
    void qwen2HasBiases() {
        GgufContents contents = made("tiny-qwen2");

        assertThat(contents.metadata().architecture()).isEqualTo("qwen2");
        assertThat(shape(contents, "blk.1.attn_q.bias")).isEqualTo("f32[64]");
        assertThat(shape(contents, "blk.1.attn_v.bias")).isEqualTo("f32[32]");
    }

    @Test
    void qwen3NormalisesHeads() {
        GgufContents contents = made("tiny-qwen3");

        assertThat(shape(contents, "blk.0.attn_q_norm.weight")).isEqualTo("f32[32]");
        assertThat(shape(contents, "blk.0.attn_k_norm.weight")).isEqualTo("f32[32]");
    }

    @Test
    void theExpertsOfLlamaAreAsLargeAsItsFeedForwardNetwork() {
        GgufContents contents = made("tiny-llama-moe");

        assertThat(contents.metadata().whole("llama.expert_count")).isEqualTo(8);
        assertThat(contents.metadata().whole("llama.expert_used_count")).isEqualTo(2);
        assertThat(contents.metadata().has("llama.expert_feed_forward_length")).isFalse();
        assertThat(shape(contents, "blk.0.ffn_gate_inp.weight")).isEqualTo("f32[64, 8]");
        assertThat(shape(contents, "blk.0.ffn_up_exps.weight")).isEqualTo("f16[64, 96, 8]");
        assertThat(shape(contents, "blk.0.ffn_down_exps.weight")).isEqualTo("f16[96, 64, 8]");
    }

    @Test
    void theExpertsOfQwen3SayHowLargeTheyAre() {
        GgufContents contents = made("tiny-qwen3moe");

        assertThat(contents.metadata().whole("qwen3moe.expert_feed_forward_length"))
                .isEqualTo(64);
        assertThat(shape(contents, "blk.1.ffn_gate_exps.weight")).isEqualTo("f16[64, 64, 8]");
    }

    @Test
    void positionsMayBeStretched() {
        GgufMetadata metadata = made("tiny-llama-yarn").metadata();

        assertThat(metadata.text("llama.rope.scaling.type")).isEqualTo("yarn");
        assertThat(metadata.real("llama.rope.scaling.factor")).isEqualTo(4);
        assertThat(metadata.whole("llama.rope.scaling.original_context_length")).isEqualTo(64);
    }

    @Test
    void frequenciesAreDividedByWhatATensorSays() {
        float[] factors =
                numbers(make("model.gguf", "tiny-llama-frequencies", FileType.Q4_0, 1, 1), "rope_freqs.weight");

        assertThat(factors).hasSize(8).isSorted().startsWith(1).endsWith(8);
    }

    @Test
    void theTokenizerOfAnotherModelDecidesHowManyTokensThereAre() {
        Path other = folder.resolve("other.gguf");
        GgufMetadata metadata = GgufMetadata.empty()
                .with("other.key", GgufValue.uint32(1))
                .with("tokenizer.ggml.model", GgufValue.text("gpt2"))
                .with("tokenizer.ggml.tokens", new GgufValue.Array(GgufArray.ofTexts(List.of("a", "b", "c"))));
        try (GgufWriter writer = GgufWriter.create(other, metadata, List.of())) {
            writer.finish();
        }
        Path file = folder.resolve("model.gguf");
        make(new ModelMakerRequest(file, "tiny-llama", FileType.F16, 1, 1, other));

        GgufContents contents = GgufContents.read(file);
        assertThat(contents.metadata().text("tokenizer.ggml.model")).isEqualTo("gpt2");
        assertThat(contents.metadata().whole("llama.vocab_size")).isEqualTo(3);
        assertThat(contents.metadata().has("other.key")).isFalse();
        assertThat(shape(contents, "output.weight")).isEqualTo("f16[64, 3]");
    }

    @Test
    void aModelWithoutATokenizerHasNoneToGive() {
        Path other = folder.resolve("other.gguf");
        try (GgufWriter writer = GgufWriter.create(other, GgufMetadata.empty(), List.of())) {
            writer.finish();
        }
        ModelMakerRequest request =
                new ModelMakerRequest(folder.resolve("model.gguf"), "tiny-llama", FileType.F16, 1, 1, other);

        assertThatThrownBy(() -> make(request))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("other.gguf")
                .hasMessageContaining("tokenizer.ggml.tokens");
        assertThat(folder).isDirectoryNotContaining("glob:**model*");
    }

    @Test
    void whatFailsOnTheWayLeavesNoFile() {
        List<RandomTensor> tensors = RecipeTensors.of(ModelRecipes.named("tiny-llama"), 512);
        RandomTensor first = tensors.getFirst();
        Path file = folder.resolve("model.gguf");

        assertThatThrownBy(() -> {
                    try (GgufWriter writer = GgufWriter.create(file, GgufMetadata.empty(), List.of(first.spec()))) {
                        new RandomModelWriter(writer, 1, _ -> {
                                    throw new IllegalStateException("enough");
                                })
                                .write(
                                        List.of(first.spec()),
                                        Map.of(first.spec().name(), first),
                                        2);
                        writer.finish();
                    }
                })
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("enough");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void saysWhatItMade() {
        make("model.gguf", "tiny-llama", FileType.Q8_0, 3, 1);

        assertThat(out.toString())
                .contains("tiny-llama, Q8_0, seed 3", "21 tensors", "151,872 parameters", "model.gguf");
    }
}
