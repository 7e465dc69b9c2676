package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.golden.GoldenCase;
import dev.stowage.llm.golden.GoldenModels;
import dev.stowage.llm.golden.ModelConformance;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The architecture that the page about adding models adds. */
class AddedModelTest {

    private static final Path PAGE = Path.of("../docs/adding-a-model.md");
    private static final Path SOURCE = Path.of("src/test/java/dev/stowage/llm/example/MiniCpm.java");

    @Test
    void itComputesWhatWasRecorded() throws IOException {
        List<GoldenCase> cases;
        try (InputStream stream =
                Objects.requireNonNull(AddedModelTest.class.getResourceAsStream("example/golden.json.gz"))) {
            cases = GoldenModels.read("golden.json.gz", stream).cases("tiny-minicpm");
        }
        ModelOptions options = ModelOptions.defaults().withDevices(List.of(TestModels.cpu()));
        try (LanguageModel model =
                        LanguageModel.open(TestModels.file("example/tiny-minicpm"), options, LoadListener.NONE);
                ModelConformance conformance = new ModelConformance(model)) {
            assertThat(cases)
                    .hasSize(4)
                    .allSatisfy(golden -> assertThat(conformance.check(golden))
                            .as("'%s'", golden.prompt())
                            .allMatch(ModelConformance.Finding::passed));
        }
    }

    @Test
    void thePageShowsItAsItIs() throws IOException {
        String source = Files.readString(SOURCE);
        String shown = source.substring(source.indexOf("/** MiniCPM"));
        assertThat(Files.readString(PAGE)).contains(shown);
    }
}
