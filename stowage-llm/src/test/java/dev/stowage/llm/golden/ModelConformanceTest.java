package dev.stowage.llm.golden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.TestModels;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is compared with a recording, and how. */
class ModelConformanceTest {

    private static final int END_OF_TEXT = 2;

    /** As llama.cpp reads the prompts that are recorded. */
    @Test
    void namesOfControlTokensInAPromptAreTheseTokens() {
        ModelOptions options = ModelOptions.defaults().withContext(64).withDevices(List.of(TestModels.cpu()));
        int[] tokens = {1, END_OF_TEXT};
        GoldenCase recorded = new GoldenCase("</s>", tokens, 0, new float[0], new int[0], "");
        try (LanguageModel model =
                        LanguageModel.open(TestModels.file("random/tiny-llama-yarn"), options, LoadListener.NONE);
                ModelConformance conformance = new ModelConformance(model)) {
            assertThat(conformance.check(recorded).getFirst())
                    .matches(finding -> finding.check().equals("tokens") && finding.passed());
        }
    }
}
