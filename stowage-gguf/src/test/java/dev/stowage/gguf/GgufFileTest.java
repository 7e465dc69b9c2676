package dev.stowage.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MappedBuffer;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GgufFileTest {

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void writeAModel() {
        file = SmallModel.write(folder.resolve("model.gguf"));
    }

    private static byte[] bytes(Tensor tensor) {
        return TensorData.segment(tensor).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void tensorsAreStoredInTheMappedFile() {
        try (GgufFile opened = GgufFile.open(file)) {
            for (TensorSpec spec : SmallModel.ALL) {
                Tensor tensor = opened.tensor(spec.name());

                assertThat(Buffer.of(tensor))
                        .isInstanceOf(MappedBuffer.class)
                        .isSameAs(opened.buffers().getFirst());
                assertThat(tensor.layout()).isEqualTo(spec.layout());
                assertThat(tensor.isWeight()).isTrue();
                assertThat(bytes(tensor)).isEqualTo(SmallModel.data(spec));
            }
            assertThat(opened.buffers().getFirst().usage()).isEqualTo(BufferUsage.WEIGHTS);
        }
    }

    @Test
    void aTensorSomebodyMadeCanBePlacedInTheFile() {
        GraphBuilder builder = new GraphBuilder();
        Tensor weight = builder.weight(SmallModel.DOWN.name(), ElementType.F16, 32, 2);
        try (GgufFile opened = GgufFile.open(file)) {
            opened.place(weight);

            assertThat(bytes(weight)).isEqualTo(SmallModel.data(SmallModel.DOWN));
        }
    }

    @Test
    void aTensorInOtherMemoryIsLoaded() {
        GraphBuilder builder = new GraphBuilder();
        Tensor weight = builder.weight(SmallModel.DOWN.name(), ElementType.F16, 32, 2);
        try (GgufFile opened = GgufFile.open(file);
                Buffer buffer = Allocations.allocateAll(builder, HostBufferType.standard())) {
            opened.load(weight);

            assertThat(Buffer.of(weight)).isSameAs(buffer);
            assertThat(bytes(weight)).isEqualTo(SmallModel.data(SmallModel.DOWN));
        }
    }

    @Test
    void memoryTheHostDoesNotReachIsLoadedInPieces() {
        TensorSpec large = TensorSpec.of("large", ElementType.F32, 3 << 20);
        Path path = SmallModel.write(folder.resolve("large.gguf"), GgufMetadata.empty(), List.of(large));
        Tensor weight = Tensor.leaf(large.layout()).named("large");
        try (GgufFile opened = GgufFile.open(path);
                HiddenBuffer buffer = new HiddenBuffer(large.byteSize())) {
            buffer.place(weight, 0);
            opened.load(weight);

            assertThat(buffer.bytes()).isEqualTo(SmallModel.data(large));
            assertThat(buffer.largestWrite()).isLessThan(large.byteSize());
        }
    }

    @Test
    void aTensorOfAnotherShapeOrTypeIsRefused() {
        Tensor other = Tensor.leaf(SmallModel.NORM.layout()).named(SmallModel.DOWN.name());
        try (GgufFile opened = GgufFile.open(file)) {
            assertThatExceptionOfType(InvalidTensorException.class)
                    .isThrownBy(() -> opened.place(other))
                    .withMessageContaining("'blk.0.ffn_down.weight' (f32[5]) is f16[32, 2] in " + file);
            assertThat(other.isPlaced()).isFalse();
        }
    }

    @Test
    void aTensorThatTheModelDoesNotHaveIsRefused() {
        try (GgufFile opened = GgufFile.open(file)) {
            assertThatExceptionOfType(MalformedDataException.class)
                    .isThrownBy(() -> opened.tensor("missing"))
                    .withMessage(file + " has no tensor 'missing'");
        }
    }

    @Test
    void partsOfATensorAreReadIntoAnyMemory() {
        float[] target = new float[4];
        try (GgufFile opened = GgufFile.open(file)) {
            GgufTensor tensor = opened.contents().tensor(SmallModel.EMBEDDING.name());
            opened.read(tensor, 8, MemorySegment.ofArray(target));

            MemorySegment expected =
                    MemorySegment.ofArray(SmallModel.data(SmallModel.EMBEDDING)).asSlice(8, 16);
            assertThat(MemorySegment.ofArray(target).mismatch(expected)).isEqualTo(-1);
            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(() -> opened.read(tensor, tensor.byteSize() - 15, MemorySegment.ofArray(target)))
                    .withMessageContaining("cannot read 16 bytes");
        }
    }

    @Test
    void aFileThatShrinksWhileItIsOpenIsNoticed() throws IOException {
        Tensor host = Tensor.leaf(SmallModel.DOWN.layout()).named(SmallModel.DOWN.name());
        try (GgufFile opened = GgufFile.open(file);
                Buffer buffer = HostBufferType.standard().allocate(4096)) {
            buffer.place(host, 0);
            long size = opened.contents().parts().getFirst().fileSize();
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(size - 100);
            }

            String complaint =
                    "the file ends at byte " + (size - 100) + ": it had " + size + " bytes when it was opened";
            assertThatExceptionOfType(MalformedDataException.class)
                    .isThrownBy(() -> opened.tensor(SmallModel.DOWN.name()))
                    .withMessageContaining(complaint);
            assertThatExceptionOfType(MalformedDataException.class)
                    .isThrownBy(() -> opened.load(host))
                    .withMessageContaining(complaint);
            byte[] target = new byte[128];
            assertThatExceptionOfType(MalformedDataException.class)
                    .isThrownBy(() -> opened.read(
                            opened.contents().tensor(SmallModel.DOWN.name()), 0, MemorySegment.ofArray(target)))
                    .withMessageContaining(complaint);
        }
    }

    @Test
    void whatIsClosedCannotBeUsed() {
        GgufFile opened = GgufFile.open(file);
        Tensor tensor = opened.tensor(SmallModel.NORM.name());
        opened.close();
        opened.close();

        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> opened.tensor(SmallModel.NORM.name()));
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> TensorData.getFloats(tensor));
    }

    @Test
    void aFileWithoutTensorsCanBeOpened() {
        Path empty = SmallModel.write(folder.resolve("empty.gguf"), SmallModel.metadata(), List.of());

        try (GgufFile opened = GgufFile.open(empty)) {
            assertThat(opened.metadata().architecture()).isEqualTo("llama");
            assertThat(opened.contents().tensors()).isEmpty();
        }
    }

    @Test
    void aTensorWithoutElementsHasAPlaceToo() {
        TensorSpec none = TensorSpec.of("none", ElementType.F32, 0, 4);
        Path path = SmallModel.write(folder.resolve("none.gguf"), SmallModel.metadata(), List.of(none));

        try (GgufFile opened = GgufFile.open(path)) {
            assertThat(opened.tensor("none").byteSize()).isZero();
        }
    }
}
