package dev.stowage.models;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.PlanValidator;
import dev.stowage.plan.Planner;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The models under the tight planner. */
class TightModelsTest {

    private static final List<Integer> TOKENS = List.of(1, 2, 7, 32, 100, 512, 1000, 2048, 4096);

    static Stream<Arguments> llamas() {
        return Stream.of("llama-3-1b", "llama-3-8b", "llama-3-70b")
                .flatMap(name -> Stream.of(Arguments.of(name, false), Arguments.of(name, true)));
    }

    private static PlanRequest request(String name, TransformerOptions options) {
        ModelGraph model = TransformerGraph.of(ModelShapes.transformer(name), options);
        return PlanRequest.of(model.graph(), HostBufferType.standard());
    }

    @ParameterizedTest
    @MethodSource("llamas")
    void aLlamaNeedsJustWhatIsLiveAtOnce(String name, boolean flash) {
        for (int tokens : TOKENS) {
            for (int outputs : List.of(1, tokens)) {
                MemoryPlan plan = Planner.tight()
                        .plan(request(
                                name,
                                TransformerOptions.ofTokens(tokens)
                                        .withFlash(flash)
                                        .withOutputs(outputs)));
                assertThat(plan.size())
                        .as("%d tokens, %d outputs", tokens, outputs)
                        .isEqualTo(plan.analysis().lowerBound());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("llamas")
    void thePlanOfALlamaIsValid(String name, boolean flash) {
        for (int tokens : TOKENS) {
            MemoryPlan plan = Planner.tight()
                    .plan(request(name, TransformerOptions.ofTokens(tokens).withFlash(flash)));
            assertThat(PlanValidator.check(plan)).as("%d tokens", tokens).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPromptOf512TokensNeedsThreeQuartersOfWhatItNeedsWithGgml(boolean flash) {
        PlanRequest request = request(
                "llama-3-8b", TransformerOptions.ofTokens(512).withContext(512).withFlash(flash));

        assertThat(Planner.tight().plan(request).size())
                .isLessThanOrEqualTo(Planner.ggml().plan(request).size() * 3 / 4);
    }
}
