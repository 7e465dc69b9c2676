package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.golden.GoldenCase;
import dev.stowage.llm.golden.GoldenModels;
import dev.stowage.llm.golden.ModelConformance;
import dev.stowage.tensor.ElementType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every family of models computes what llama.cpp was recorded to compute, in f16, Q8_0 and Q4_K_M, and takes what was
 * planned, whatever runs it. The models were made with {@code stowage bench make-model}, gpt-oss with {@code --seed 2}.
 */
class FamiliesTest {

    private static final ModelOptions OPTIONS =
            ModelOptions.defaults().withContext(256).withDevices(List.of(TestModels.cpu()));
    private static final int[] PROMPT =
            IntStream.range(0, 60).map(i -> 3 + i * 37 % 500).toArray();

    private static List<String> recorded() {
        return TestModels.goldenOfFamilies().names();
    }

    private static Stream<String> plain() {
        return recorded().stream().filter(name -> !name.contains("Q"));
    }

    private static Path file(String name) {
        return TestModels.file("families/" + name);
    }

    private static void check(String name, ModelOptions options, GoldenModels... recordings) {
        try (LanguageModel model = LanguageModel.open(file(name), options, LoadListener.NONE);
                ModelConformance conformance = new ModelConformance(model)) {
            List<GoldenCase> first = recordings[0].cases(name);
            for (int i = 0; i < first.size(); i++) {
                int number = i;
                List<GoldenCase> ofPrompt = Stream.of(recordings)
                        .map(recording -> recording.cases(name).get(number))
                        .toList();
                assertThat(conformance.checkNearest(ofPrompt))
                        .as("%s, '%s'", name, first.get(i).prompt())
                        .allMatch(ModelConformance.Finding::passed);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void everyFamilyComputesWhatWasRecorded(String name) {
        check(name, OPTIONS.withAttention(AttentionMode.PLAIN), TestModels.goldenOfFamilies());
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void flashAttentionHoldsOneOfTwoRecordedAnswers(String name) {
        check(
                name,
                OPTIONS.withAttention(AttentionMode.FUSED),
                TestModels.goldenOfFamilies(),
                TestModels.flashOfFamilies());
    }

    /** The window is 16 tokens, and the text about 700, so that the cells of windows are used again and again. */
    @ParameterizedTest
    @CsvSource({
        "tiny-gemma2, PLAIN, 512",
        "tiny-gemma3, PLAIN, 16",
        "tiny-gemma3, FUSED, 7",
        "tiny-gpt-oss, PLAIN, 7",
        "tiny-gpt-oss, FUSED, 16",
        "tiny-olmo3, PLAIN, 16"
    })
    void textsLongerThanWindowsAreComputedAsRecorded(String name, AttentionMode attention, int batch) {
        check(name, OPTIONS.withContext(1024).withBatch(batch).withAttention(attention), TestModels.goldenOfWindows());
    }

    @ParameterizedTest
    @MethodSource("plain")
    void aQuantisedCacheKeepsTheLikelihood(String name) {
        ModelOptions options = OPTIONS.withAttention(AttentionMode.FUSED).withCacheType(ElementType.Q8_0);
        try (LanguageModel model = LanguageModel.open(file(name), options, LoadListener.NONE);
                ModelConformance conformance = new ModelConformance(model)) {
            for (GoldenCase golden : TestModels.goldenOfFamilies().cases(name)) {
                assertThat(conformance.check(golden))
                        .filteredOn(finding -> finding.check().equals("nll"))
                        .allMatch(ModelConformance.Finding::passed);
            }
        }
    }

    /** The logits of a prompt and of tokens after it. */
    private static float[][] logits(String name, ModelOptions options) {
        List<float[]> all = new ArrayList<>();
        try (LanguageModel model = LanguageModel.open(file(name), options, LoadListener.NONE);
                Session session = model.newSession()) {
            session.run(new Batch().addAll(PROMPT, 0));
            all.add(session.logits(0).clone());
            for (int token = 100; token < 110; token++) {
                session.run(new Batch().add(token, 0, true));
                all.add(session.logits(0).clone());
            }
        }
        return all.toArray(float[][]::new);
    }

    @ParameterizedTest
    @MethodSource("plain")
    void devicesPipelinesAndPlannersMakeNoDifference(String name) {
        PlannedRuns.requireSameEverywhere(OPTIONS.withBatch(7), options -> logits(name, options));
    }

    @ParameterizedTest
    @MethodSource("plain")
    void whatIsPlannedIsTaken(String name) {
        for (AttentionMode attention : List.of(AttentionMode.PLAIN, AttentionMode.FUSED)) {
            ModelOptions options = ModelOptions.defaults()
                    .withContext(700)
                    .withBatch(40)
                    .withSequences(2)
                    .withAttention(attention);
            PlannedRuns.requireTakenAsPlanned(file(name), options, session -> {
                session.run(new Batch().addAll(PROMPT, 0).addAll(PROMPT, 1));
                session.run(new Batch().add(7, 0, true).add(8, 1, true));
            });
        }
    }
}
