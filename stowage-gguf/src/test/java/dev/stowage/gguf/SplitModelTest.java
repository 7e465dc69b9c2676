package dev.stowage.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.MalformedDataException;
import dev.stowage.memory.TensorData;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SplitModelTest {

    private static final int PARTS = SmallModel.ALL.size();

    @TempDir
    private Path folder;

    @BeforeEach
    void writeParts() {
        SmallModel.writeParts(folder);
    }

    private Path part(int number) {
        return SmallModel.part(folder, number, PARTS);
    }

    private void rewrite(int number, String key, long value, List<TensorSpec> tensors) {
        GgufMetadata metadata =
                GgufHeader.read(part(number)).metadata().with(key, new GgufValue.Whole(GgufType.UINT16, value));
        SmallModel.write(part(number), metadata, tensors);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void anyPartOpensAll(int named) {
        try (GgufFile file = GgufFile.open(part(named))) {
            assertThat(file.contents().parts()).extracting(GgufHeader::file).containsExactly(part(0), part(1), part(2));
            assertThat(file.metadata().architecture()).isEqualTo("llama");
            for (TensorSpec spec : SmallModel.ALL) {
                assertThat(TensorData.segment(file.tensor(spec.name())).toArray(ValueLayout.JAVA_BYTE))
                        .isEqualTo(SmallModel.data(spec));
            }
        }
    }

    @Test
    void aMissingPartIsNamed() throws IOException {
        Files.delete(part(1));

        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufContents.read(part(0)))
                .withMessage(part(0) + " is part of a split model, of which part 2 is missing: " + part(1));
    }

    @Test
    void aPartThatLostItsNameIsReported() throws IOException {
        Path renamed = Files.move(part(0), folder.resolve("renamed.gguf"));

        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufContents.read(renamed))
                .withMessageContaining("is one of 3 parts of a split model")
                .withMessageContaining(": rename it");
    }

    @Test
    void aPartInAnothersPlaceIsReported() throws IOException {
        Files.copy(part(2), folder.resolve("copy"));
        Files.delete(part(1));
        Files.move(folder.resolve("copy"), part(1));

        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufContents.read(part(0)))
                .withMessage(part(1) + " is part 3 of 3 by its metadata, and part 2 of 3 by its name");
    }

    @Test
    void aPartOfAnotherModelIsReported() {
        rewrite(1, "split.count", 4, List.of(SmallModel.NORM));

        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufContents.read(part(0)))
                .withMessage(part(1) + " is part 2 of 4 by its metadata, and part 2 of 3 by its name");
    }

    @Test
    void aTensorInTwoPartsIsRefused() {
        rewrite(1, "split.no", 1, List.of(SmallModel.EMBEDDING));

        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufContents.read(part(2)))
                .withMessage(part(1) + ": tensor 'token_embd.weight' is also in " + part(0));
    }

    @Test
    void tensorsThatAreInNoPartAreMissed() {
        rewrite(1, "split.no", 1, List.of());

        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufContents.read(part(0)))
                .withMessageContaining("key 'split.tensors.count' says 3 tensors, but the 3 parts have 2");
    }

    @Test
    void aHugeCountDoesNotCauseASearchForThatManyFiles() {
        GgufMetadata metadata = GgufMetadata.empty()
                .with("split.no", GgufValue.uint32(0))
                .with("split.count", GgufValue.uint32(0xFFFF_FFFFL));
        SmallModel.write(part(0), metadata, List.of());

        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufContents.read(part(0)))
                .withMessage(part(0) + " is part 1 of 4294967295 by its metadata, and part 1 of 3 by its name");
    }

    @Test
    void theDataOfLaterPartsNeedNotBeThere() throws IOException {
        GgufHeader last = GgufHeader.read(part(2));
        byte[] head = Files.readAllBytes(part(2));
        Files.write(part(2), Arrays.copyOf(head, Math.toIntExact(last.dataOffset())));

        assertThat(GgufContents.read(part(0)).tensors()).hasSize(PARTS);
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufFile.open(part(0)))
                .withMessageContaining(part(2) + ", byte ")
                .withMessageContaining("data of tensor 'blk.0.ffn_down.weight'");
    }
}
