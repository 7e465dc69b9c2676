package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import dev.stowage.gguf.GgufWriter;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.llm.engine.Engine;
import dev.stowage.llm.engine.EngineOptions;
import dev.stowage.llm.engine.Pooling;
import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.llm.fit.DevicePlanner;
import dev.stowage.llm.fit.FileDecoder;
import dev.stowage.llm.fit.LargestContext;
import dev.stowage.llm.model.ModelBlueprint;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What files of embedding models are refused for, and what their plans advise. */
class EncoderFilesTest {

    @TempDir
    private Path folder;

    /** A small embedding model with other metadata, and without the tensors whose names end so. */
    private Path changed(String model, UnaryOperator<GgufMetadata> change, String left) {
        Path file = folder.resolve("changed.gguf");
        try (GgufFile from = GgufFile.open(TestModels.file("encoders/" + model));
                Arena arena = Arena.ofConfined()) {
            List<GgufTensor> tensors = from.contents().tensors().values().stream()
                    .filter(tensor -> left.isEmpty() || !tensor.name().endsWith(left))
                    .toList();
            List<TensorSpec> specs = tensors.stream().map(GgufTensor::spec).toList();
            try (GgufWriter writer = GgufWriter.create(file, change.apply(from.metadata()), specs)) {
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

    private static ModelBlueprint read(Path file) {
        return ModelBlueprint.of(GgufContents.read(file));
    }

    private static GgufValue number(long value) {
        return new GgufValue.Whole(GgufType.UINT32, value);
    }

    @Test
    void allThatIsNotSupportedIsNamedTogether() {
        Path file = changed(
                "tiny-bert",
                metadata -> metadata.with("bert.pooling_type", number(4))
                        .with("bert.attention.causal", new GgufValue.Bool(true))
                        .with("bert.context_length", number(99)),
                "1.attn_output_norm.bias");
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("key 'bert.attention.causal' is true")
                .hasMessageContaining("key 'bert.pooling_type' is 4; rerankers")
                .hasMessageContaining(
                        "'position_embd.weight' is [64, 128], but by the model's numbers it must be [64, 99]")
                .hasMessageContaining("there is no tensor 'blk.1.attn_output_norm.bias'");
    }

    @Test
    void biasesAreUsedWhereTheyAre() {
        Path file = changed("tiny-bert", metadata -> metadata, "_q.bias");
        assertThat(read(file).weights(0))
                .hasSize(read(TestModels.file("encoders/tiny-bert")).weights(0).size() - 1);
    }

    @Test
    void aFileThatNamesNoPoolingIsPooledByTheMean() {
        Path file = changed("tiny-bert", metadata -> metadata.without("bert.pooling_type"), "");
        ModelOptions options = ModelOptions.defaults().withDevices(List.of(TestModels.cpu()));
        try (LanguageModel model = LanguageModel.open(file, options, LoadListener.NONE);
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            assertThat(engine.pooling()).isEqualTo(Pooling.MEAN);
        }
    }

    @Test
    void aContextTooLargeToBeReadAtOnceIsRefused() {
        Path file =
                changed("tiny-nomic-bert", metadata -> metadata.with("nomic-bert.context_length", number(1 << 20)), "");
        ModelOptions options = ModelOptions.defaults().withContext(ModelOptions.WHOLE_CONTEXT);
        assertThatThrownBy(() -> options.session(read(file)))
                .isInstanceOf(InvalidPlanException.class)
                .hasMessageContaining("1048576 tokens")
                .hasMessageContaining("46,340");
    }

    @Test
    void theLargestContextIsFoundInSmallSteps() {
        ModelBlueprint blueprint = read(TestModels.file("encoders/tiny-nomic-bert"));
        FileDecoder whole = new FileDecoder(blueprint, ModelOptions.defaults().session(blueprint));
        DevicePlanner planner = DevicePlanner.over(List.of(new DeviceBudget(TestModels.cpu(), 500 << 10)));
        assertThat(planner.plan(whole).fits()).isFalse();
        int largest = planner.largestContext(whole, planner.plan(whole))
                .map(LargestContext::withAnyLayers)
                .orElseThrow();
        assertThat(largest).isBetween(32, 160);
        assertThat(planner.plan(whole.withContext(largest)).fits()).isTrue();
        assertThat(planner.plan(whole.withContext(largest + 32)).fits()).isFalse();
    }
}
