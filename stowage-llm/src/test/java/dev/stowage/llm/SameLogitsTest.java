package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.llm.tokenizer.EncodeOptions;
import dev.stowage.plan.Planner;
import dev.stowage.schedule.ScheduleOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The device and the planner make no difference to the logits of a model. */
class SameLogitsTest {

    private static final String PROMPT = "harbor, n. a place where ships may lie; a tensor is no ship at all.";
    private static final ModelOptions OPTIONS =
            ModelOptions.defaults().withContext(128).withBatch(7).withRearrangedWeights(false);

    /** The logits after the prompt and after some more tokens. */
    private static List<float[]> logits(Path file, ModelOptions options) {
        List<float[]> all = new ArrayList<>();
        try (LanguageModel model = LanguageModel.open(file, options, LoadListener.NONE);
                Session session = model.newSession()) {
            session.run(new Batch().addAll(model.tokenizer().encode(PROMPT, EncodeOptions.PROMPT), 0));
            all.add(session.logits(0).clone());
            for (int token = 100; token < 110; token++) {
                session.run(new Batch().add(token, 0, true));
                all.add(session.logits(0).clone());
            }
        }
        return all;
    }

    private static void requireSame(Path file, ModelOptions options) {
        List<float[]> expected = logits(file, OPTIONS.withDevices(List.of(TestModels.cpu())));
        assertThat(logits(file, options).toArray(float[][]::new)).isDeepEqualTo(expected.toArray(float[][]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lexicon-5m-Q4_0", "tiny-qwen2", "tiny-llama-moe"})
    void theTightPlannerGivesTheSameLogits(String name) {
        requireSame(
                TestModels.file(name),
                OPTIONS.withDevices(List.of(TestModels.cpu()))
                        .withSchedule(ScheduleOptions.defaults().withPlanner(Planner.named("tight"))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lexicon-5m-Q4_0", "tiny-qwen2", "tiny-llama-moe"})
    void twoDevicesThatShareTheLayersGiveTheSameLogits(String name) {
        Device cpu = TestModels.cpu();
        requireSame(
                TestModels.file(name),
                OPTIONS.withDevices(List.of(PlannedRuns.gpu("gpu0"), PlannedRuns.gpu("gpu1"), cpu))
                        .withLayersOn(List.of(1, 1)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lexicon-5m-Q4_0", "tiny-llama-moe"})
    void allLayersOffTheProcessorGiveTheSameLogits(String name) {
        Device cpu = TestModels.cpu();
        int layers = name.startsWith("lexicon") ? 6 : 3;
        requireSame(
                TestModels.file(name),
                OPTIONS.withDevices(List.of(PlannedRuns.gpu("gpu0"), cpu)).withLayersOn(List.of(layers + 1)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lexicon-5m-Q4_0", "tiny-qwen2"})
    void aPipelineGivesTheSameLogits(String name) {
        Device cpu = TestModels.cpu();
        requireSame(
                TestModels.file(name),
                OPTIONS.withDevices(List.of(PlannedRuns.gpu("gpu0"), PlannedRuns.gpu("gpu1"), cpu))
                        .withLayersOn(List.of(1, 2))
                        .withSchedule(ScheduleOptions.defaults().withPipeline()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lexicon-5m-Q4_0", "tiny-qwen2"})
    void deviceMemoryIsFilledWhereNoLayersAreAskedFor(String name) {
        Device cpu = TestModels.cpu();
        requireSame(TestModels.file(name), OPTIONS.withDevices(List.of(PlannedRuns.gpu("gpu0"), cpu)));
    }
}
