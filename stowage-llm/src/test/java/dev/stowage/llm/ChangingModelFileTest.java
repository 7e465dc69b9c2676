package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.error.StowageException;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.llm.tokenizer.EncodeOptions;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A model whose file is truncated while it is open. */
class ChangingModelFileTest {

    private static final GenerationOptions GREEDY =
            GenerationOptions.defaults().withSampling(SamplingOptions.greedy()).withMaxTokens(4);

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void copyAModel() throws IOException {
        file = Files.copy(TestModels.lexicon(), folder.resolve("model.gguf"));
    }

    private static ModelOptions on(String device) {
        Device found = DeviceRegistry.load().device(device);
        return ModelOptions.defaults().withContext(40).withDevices(List.of(found));
    }

    private static String text(LanguageModel model, Session session) {
        return model.generate(
                        session,
                        model.tokenizer().encode("tensor, n.", EncodeOptions.PROMPT),
                        GREEDY,
                        TokenListener.NONE)
                .text();
    }

    private void truncate(long size) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(size);
        }
    }

    @ParameterizedTest
    @CsvSource({"cpu, true", "cpu, false", "reference, false"})
    void aRunOnTruncatedWeightsIsRefused(String device, boolean rearranged) throws IOException {
        ModelOptions options = on(device).withRearrangedWeights(rearranged);
        try (LanguageModel model = LanguageModel.open(file, options, LoadListener.NONE);
                Session session = model.newSession()) {
            assertThat(text(model, session)).isNotEmpty();
            long size = Files.size(file);
            for (long sizeNow : new long[] {size - 1, 0}) {
                truncate(sizeNow);

                assertThatExceptionOfType(StowageException.class)
                        .isThrownBy(() -> text(model, session))
                        .withMessageContaining(file + " was truncated")
                        .withMessageContaining("had " + size + " bytes when it was opened and has " + sizeNow + " now");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "reference"})
    void loadedWeightsOutliveTheirFile(String device) throws IOException {
        for (boolean rearranged : new boolean[] {false, true}) {
            Path own = Files.copy(TestModels.lexicon(), folder.resolve("loaded-" + rearranged));
            file = own;
            ModelOptions options = on(device).withRearrangedWeights(rearranged).withMappedWeights(false);
            try (LanguageModel model = LanguageModel.open(own, options, LoadListener.NONE)) {
                String before;
                try (Session session = model.newSession()) {
                    before = text(model, session);
                }
                truncate(0);
                try (Session session = model.newSession()) {
                    assertThat(text(model, session)).isNotEmpty().isEqualTo(before);
                }
            }
        }
    }
}
