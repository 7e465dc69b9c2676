package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.DeviceType;
import dev.stowage.error.AllocationException;
import dev.stowage.error.InvalidGraphException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import dev.stowage.gguf.GgufWriter;
import dev.stowage.gguf.Printable;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.tensor.ElementType;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are not a model that can be run, and options that cannot be met, get an error that names them. */
class ModelErrorsTest {

    @TempDir
    private Path folder;

    /** A small model with other metadata, or without some of its tensors. */
    private Path changed(UnaryOperator<GgufMetadata> change, Predicate<GgufTensor> kept, String... added) {
        Path file = folder.resolve("changed.gguf");
        try (GgufFile from = GgufFile.open(TestModels.file("random/tiny-llama-yarn"));
                Arena arena = Arena.ofConfined()) {
            List<GgufTensor> tensors =
                    from.contents().tensors().values().stream().filter(kept).toList();
            long half = ModelBlueprint.of(from.contents()).shape().headSize() / 2;
            List<TensorSpec> specs =
                    new ArrayList<>(tensors.stream().map(GgufTensor::spec).toList());
            for (String each : added) {
                specs.add(TensorSpec.of(each, ElementType.F32, half));
            }
            try (GgufWriter writer = GgufWriter.create(file, change.apply(from.metadata()), specs)) {
                for (String each : added) {
                    writer.write(each, 0, arena.allocate(half * Float.BYTES));
                }
                for (GgufTensor tensor : tensors) {
                    MemorySegment bytes = arena.allocate(tensor.byteSize());
                    from.read(tensor, 0, bytes);
                    writer.write(tensor.name(), 0, bytes);
                }
                writer.finish();
            }
        }
        return file;
    }

    private Path with(String key, GgufValue value) {
        return changed(metadata -> metadata.with(key, value), _ -> true);
    }

    private static ModelBlueprint read(Path file) {
        return ModelBlueprint.of(GgufContents.read(file));
    }

    @Test
    void anArchitectureThatIsNotKnownIsNamedWithThoseThatAre() {
        Path file = with("general.architecture", new GgufValue.Text("mamba"));
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("'mamba'")
                .hasMessageContaining("llama, qwen2, qwen3, qwen3moe");
    }

    @Test
    void aNumberThatIsMissingIsNamed() {
        Path file = changed(metadata -> metadata.without("llama.block_count"), _ -> true);
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("llama.block_count");
    }

    @Test
    void aWeightThatIsMissingIsNamed() {
        Path file = changed(metadata -> metadata, tensor -> !tensor.name().equals("blk.1.ffn_up.weight"));
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("blk.1.ffn_up.weight");
    }

    @Test
    void aFileWhoseLayersAreNotAllCountedIsRefused() {
        Path file = with("llama.block_count", new GgufValue.Whole(GgufType.UINT32, 1));
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("blk.1.")
                .hasMessageContaining("layers from 1 on")
                .hasMessageContaining("'llama.block_count'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"blk.0.attn_q_norm.weight", "blk.1.attn_sinks.weight", "position_embd.weight", "\u001B[31m"})
    void aTensorThatTheModelWouldNotUseIsNamed(String name) {
        Path file = changed(metadata -> metadata, _ -> true, name);
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("1 of ")
                .hasMessageContaining(Printable.of(name))
                .hasMessageContaining("'llama'");
    }

    @Test
    void factorsOfTheRopeAreUsed() {
        assertThat(read(changed(metadata -> metadata, _ -> true, "rope_freqs.weight"))
                        .weights())
                .anyMatch(weight -> weight.name().endsWith("rope_freqs.weight"));
    }

    @ParameterizedTest
    @CsvSource({
        "llama.attention.head_count, 0, head_count",
        "llama.attention.head_count, 3, heads",
        "llama.attention.head_count_kv, 3, llama.attention.head_count_kv",
        "llama.block_count, 0, llama.block_count",
        "llama.feed_forward_length, 7, ffn_gate",
        "llama.rope.dimension_count, 2, rope.dimension_count",
        "llama.context_length, 0, llama.context_length"
    })
    void numbersThatDoNotFitAreRefused(String key, long value, String message) {
        Path file = with(key, new GgufValue.Whole(GgufType.UINT32, value));
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining(message);
    }

    @Test
    void allThatIsNotSupportedIsNamedAtOnce() {
        Path file = changed(
                metadata -> metadata.with("llama.rope.scaling.type", new GgufValue.Text("dynamic"))
                        .with("tokenizer.ggml.model", new GgufValue.Text("unheard-of")),
                tensor -> !tensor.name().equals("blk.1.attn_norm.weight"),
                "blk.0.attn_surprise.weight");
        assertThatThrownBy(() -> LanguageModel.open(
                        file, ModelOptions.defaults().withDevices(List.of(TestModels.cpu())), LoadListener.NONE))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("'dynamic'")
                .hasMessageContaining("'unheard-of'")
                .hasMessageContaining("no tensor 'blk.1.attn_norm.weight'")
                .hasMessageContaining("blk.0.attn_surprise.weight");
    }

    @Test
    void aClaimOfTwoBillionLayersIsRefusedAtOnce() {
        Path file = with("llama.block_count", new GgufValue.Whole(GgufType.UINT32, Integer.MAX_VALUE));
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("no tensor 'blk.");
    }

    @Test
    void numbersThatAreNoneAreNamedByTheirKeys() {
        Path file = with("llama.attention.scale", new GgufValue.Float32(Float.NaN));
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("llama.attention.scale");
    }

    @Test
    void aScalingThatIsNotKnownIsNamed() {
        Path file = with("llama.rope.scaling.type", new GgufValue.Text("dynamic"));
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("'dynamic'");
    }

    @Test
    void aCacheThatHeadsDoNotFitIsRefused() {
        ModelOptions quantised =
                ModelOptions.defaults().withCacheType(ElementType.Q8_0).withDevices(List.of(TestModels.cpu()));
        try (LanguageModel model = LanguageModel.open(TestModels.lexicon(), quantised, LoadListener.NONE)) {
            model.newSession().close();
        }
        ModelOptions plain = quantised.withAttention(AttentionMode.PLAIN);
        try (LanguageModel model = LanguageModel.open(
                TestModels.lexicon(), quantised.withAttention(AttentionMode.FUSED), LoadListener.NONE)) {
            assertThatThrownBy(() -> plain.newCache(model.blueprint(), 64))
                    .isInstanceOf(InvalidGraphException.class)
                    .hasMessageContaining("needs flash attention");
        }
    }

    @Test
    void layersThatDoNotExistAreRefused() {
        SimulatedDevice gpu = SimulatedDevice.named("gpu0").type(DeviceType.GPU).build();
        ModelOptions options = ModelOptions.defaults().withDevices(List.of(gpu, TestModels.cpu()));
        assertThatThrownBy(() ->
                        LanguageModel.open(TestModels.lexicon(), options.withLayersOn(List.of(8)), LoadListener.NONE))
                .isInstanceOf(InvalidPlanException.class)
                .hasMessageContaining("8 layers are asked for, but the model has 6");
        assertThatThrownBy(() -> LanguageModel.open(
                        TestModels.lexicon(), options.withLayersOn(List.of(1, 1)), LoadListener.NONE))
                .isInstanceOf(InvalidPlanException.class)
                .hasMessageContaining("for 2 devices, but there are 1");
    }

    @Test
    void tooLittleMemoryIsReportedAndReleasesEverything() {
        SimulatedDevice gpu = SimulatedDevice.named("gpu0")
                .type(DeviceType.GPU)
                .memoryLimit(1 << 20)
                .build();
        ModelOptions options = ModelOptions.defaults()
                .withDevices(List.of(gpu, TestModels.cpu()))
                .withLayersOn(List.of(6));
        assertThatThrownBy(() -> LanguageModel.open(TestModels.lexicon(), options, LoadListener.NONE))
                .isInstanceOf(AllocationException.class);
        assertThat(gpu.openBytes()).isZero();
    }

    @Test
    void impossibleOptionsAreRefused() {
        ModelOptions options = ModelOptions.defaults();
        assertThatThrownBy(() -> options.withContext(-1)).isInstanceOf(InvalidPlanException.class);
        assertThatThrownBy(() -> options.withBatch(0)).isInstanceOf(InvalidPlanException.class);
        assertThatThrownBy(() -> options.withSequences(0)).isInstanceOf(InvalidPlanException.class);
        assertThatThrownBy(() -> GenerationOptions.defaults().withMaxTokens(-1))
                .isInstanceOf(InvalidPlanException.class);
    }
}
