package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.DeviceRegistry;
import dev.stowage.llm.golden.GoldenCase;
import dev.stowage.llm.golden.ModelConformance;
import dev.stowage.tensor.ElementType;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Models compute what llama.cpp was recorded to compute. */
class GoldenModelTest {

    private static final ModelOptions OPTIONS = ModelOptions.defaults().withContext(256);

    private static void check(String name, ModelOptions options) {
        check(TestModels.file(name), TestModels.golden().cases(name), options);
    }

    private static void check(Path file, List<GoldenCase> cases, ModelOptions options) {
        assertThat(cases).isNotEmpty();
        try (LanguageModel model = LanguageModel.open(file, options, LoadListener.NONE);
                ModelConformance conformance = new ModelConformance(model)) {
            for (GoldenCase golden : cases) {
                assertThat(conformance.check(golden))
                        .as("%s, '%s'", file, golden.prompt())
                        .allMatch(ModelConformance.Finding::passed);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lexicon-5m-f16",
                "lexicon-5m-Q8_0",
                "lexicon-5m-Q4_0",
                "lexicon-5m-Q4_K_M",
                "lexicon-5m-Q6_K",
                "tiny-qwen2",
                "tiny-llama-moe"
            })
    void everyRecordedCaseHolds(String name) {
        check(name, OPTIONS.withDevices(List.of(TestModels.cpu())));
    }

    @ParameterizedTest
    @CsvSource({
        "lexicon-5m-f16, FUSED, F16, 512",
        "lexicon-5m-f16, PLAIN, F32, 512",
        "lexicon-5m-f16, FUSED, F32, 512",
        "lexicon-5m-f16, PLAIN, F16, 3",
        "tiny-qwen2, FUSED, F16, 5",
        "tiny-llama-moe, FUSED, F16, 4"
    })
    void everyRecordedCaseHoldsWhateverTheAttentionCacheAndBatch(
            String name, AttentionMode attention, ElementType cache, int batch) {
        check(
                name,
                OPTIONS.withAttention(attention)
                        .withCacheType(cache)
                        .withBatch(batch)
                        .withDevices(List.of(TestModels.cpu())));
    }

    /** Made with {@code stowage bench make-model}, and recorded with llama.cpp. */
    private static List<String> randomModels() {
        return TestModels.goldenOfRandom().names();
    }

    @ParameterizedTest
    @MethodSource("randomModels")
    void everyKindOfModelComputesWhatWasRecorded(String name) {
        check(
                TestModels.file("random/" + name),
                TestModels.goldenOfRandom().cases(name),
                OPTIONS.withDevices(List.of(TestModels.cpu())));
    }

    private static Stream<String> modelsOfFlash() {
        return Stream.concat(
                TestModels.flash().names().stream(),
                TestModels.flashOfRandom().names().stream().map(name -> "random/" + name));
    }

    /**
     * llama.cpp has two answers, of plain and of flash attention, which differ by more than what is allowed here for
     * some of these models: it adds up values in f16 in the one. Flash attention here adds up in f32, and has to agree
     * with one of the answers to each prompt.
     */
    @ParameterizedTest
    @MethodSource("modelsOfFlash")
    void flashAttentionHoldsOneOfTwoRecordedAnswers(String name) {
        boolean isRandom = name.startsWith("random/");
        String recorded = name.replaceFirst("^random/", "");
        List<GoldenCase> plain = (isRandom ? TestModels.goldenOfRandom() : TestModels.golden()).cases(recorded);
        List<GoldenCase> flash = (isRandom ? TestModels.flashOfRandom() : TestModels.flash()).cases(recorded);
        ModelOptions options = OPTIONS.withAttention(AttentionMode.FUSED).withDevices(List.of(TestModels.cpu()));
        try (LanguageModel model = LanguageModel.open(TestModels.file(name), options, LoadListener.NONE);
                ModelConformance conformance = new ModelConformance(model)) {
            for (int i = 0; i < plain.size(); i++) {
                assertThat(flash.get(i).prompt()).isEqualTo(plain.get(i).prompt());
                assertThat(conformance.checkNearest(List.of(plain.get(i), flash.get(i))))
                        .as("%s, '%s'", name, plain.get(i).prompt())
                        .allMatch(ModelConformance.Finding::passed);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tiny-qwen2", "tiny-llama-moe"})
    void theReferenceHoldsThemToo(String name) {
        check(name, OPTIONS.withDevices(List.of(DeviceRegistry.load().device("reference"))));
    }
}
