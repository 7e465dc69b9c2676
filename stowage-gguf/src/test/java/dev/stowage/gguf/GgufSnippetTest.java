package dev.stowage.gguf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.gguf.quantize.FileType;
import dev.stowage.gguf.quantize.Quantizer;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of this module's documentation, which are taken from here. */
class GgufSnippetTest {

    @TempDir
    private Path folder;

    private Path model;

    @BeforeEach
    void writeModel() {
        model = SmallModel.write(folder.resolve("model.gguf"));
    }

    private static void read(Path path, Consumer<String> out) {
        // @start region="read"
        try (GgufFile file = GgufFile.open(path)) {
            long layers = file.metadata().whole("llama.block_count");
            Tensor embeddings = file.tensor("token_embd.weight"); // stored in the file
            out.accept(
                    layers + " layers, embeddings of type " + embeddings.type().label());
        }
        // @end
    }

    @Test
    void metadataAndTensorsAreRead() {
        List<String> printed = new ArrayList<>();
        read(model, printed::add);
        assertThat(printed).containsExactly("1 layers, embeddings of type f32");
    }

    private static void load(Path path, GraphBuilder builder, Buffer deviceBuffer, Consumer<Tensor> use) {
        // @start region="load"
        try (GgufFile file = GgufFile.open(path)) {
            Tensor mapped = file.tensor("output_norm.weight"); // in place
            Tensor loaded = builder.weight("blk.0.ffn_down.weight", ElementType.F16, 32, 2);
            deviceBuffer.place(loaded, 0);
            file.load(loaded); // copied from the file to its memory
            use.accept(mapped);
            use.accept(loaded);
        }
        // @end
    }

    @Test
    void tensorsAreUsedInPlaceOrLoaded() {
        try (Buffer buffer = HostBufferType.standard().allocate(4096)) {
            List<byte[]> used = new ArrayList<>();
            load(
                    model,
                    new GraphBuilder(),
                    buffer,
                    tensor -> used.add(TensorData.segment(tensor).toArray(ValueLayout.JAVA_BYTE)));
            assertThat(used).containsExactly(SmallModel.data(SmallModel.NORM), SmallModel.data(SmallModel.DOWN));
        }
    }

    private static void write(Path path, GgufMetadata metadata) {
        // @start region="write"
        try (GgufWriter writer =
                GgufWriter.create(path, metadata, List.of(TensorSpec.of("w", ElementType.F32, 4, 2)))) {
            writer.write("w", 0, MemorySegment.ofArray(new float[8]));
            writer.finish();
        }
        // @end
    }

    @Test
    void aFileIsWritten() {
        Path path = folder.resolve("written.gguf");
        write(path, SmallModel.metadata());
        assertThat(GgufContents.read(path).tensors()).containsOnlyKeys("w");
    }

    private static void quantize(Path from, Path to) {
        // @start region="quantize"
        Quantizer.to(FileType.Q4_K_M).withThreads(4).quantize(from, to);
        // @end
    }

    @Test
    void aFileIsQuantised() {
        Path path = folder.resolve("model-q4.gguf");
        quantize(TestFiles.lexicon(), path);
        assertThat(path).isNotEmptyFile();
    }
}
