package dev.stowage.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The Java code of the pages is that of test sources, which are compiled with all checks and run. White space is not
 * compared: the formatter may break lines elsewhere.
 */
class PageCodeTest {

    private static final Path ROOT = Path.of("..");
    private static final Path DOCS = ROOT.resolve("docs");
    private static final String INDEX = "index.md";
    private static final int README_LINES = 150;

    private static final String HERE = "stowage-cli/src/test/java/dev/stowage/docs/";
    private static final String TOY = "stowage-testkit/src/test/java/dev/stowage/testkit/toy/";
    private static final String LLM = "stowage-llm/src/test/java/dev/stowage/llm/";

    /** The test sources that have the code of a page. A page that is not named here has no Java code. */
    private static final Map<String, List<String>> SOURCES = Map.ofEntries(
            Map.entry(
                    "README.md",
                    List.of(
                            "stowage-core/src/test/java/dev/stowage/ReadmeExampleTest.java",
                            HERE + "SessionsPageTest.java")),
            Map.entry("docs/adding-a-model.md", List.of(LLM + "example/MiniCpm.java")),
            Map.entry("docs/cpu-backend.md", List.of(HERE + "DevicePagesTest.java")),
            Map.entry(
                    "docs/langchain4j.md",
                    List.of("stowage-langchain4j/src/test/java/dev/stowage/langchain4j/LangChain4jPageTest.java")),
            Map.entry("docs/packing.md", List.of(HERE + "PackingPageTest.java")),
            Map.entry("docs/plan-a-model.md", List.of(LLM + "FitExampleTest.java")),
            Map.entry("docs/planning.md", List.of(HERE + "PlanningPageTest.java")),
            Map.entry("docs/profiles-and-traces.md", List.of(HERE + "ProfilesPageTest.java")),
            Map.entry("docs/running-a-graph.md", List.of(HERE + "TwoLayers.java", HERE + "DevicePagesTest.java")),
            Map.entry("docs/scheduling.md", List.of(HERE + "DevicePagesTest.java")),
            Map.entry(
                    "docs/sessions.md", List.of(HERE + "SessionsPageTest.java", LLM + "engine/EngineSnippetTest.java")),
            Map.entry(
                    "docs/serving.md", List.of("stowage-serve/src/test/java/dev/stowage/serve/ServeSnippetTest.java")),
            Map.entry(
                    "docs/structured-output.md",
                    List.of(LLM + "grammar/GrammarSnippetTest.java", LLM + "grammar/ToolSnippetTest.java")),
            Map.entry("docs/writing-a-backend.md", List.of(TOY + "ToyProvider.java", TOY + "ToyBackendTest.java")));

    static List<String> pages() throws IOException {
        try (Stream<Path> files = Files.list(DOCS)) {
            return Stream.concat(
                            Stream.of("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"),
                            files.map(file -> "docs/" + file.getFileName()))
                    .filter(page -> page.endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void theCodeOfAPageIsCompiledAndRun(String page) {
        List<String> blocks = javaBlocks(ROOT.resolve(page));
        String sources = SOURCES.getOrDefault(page, List.of()).stream()
                .map(source -> withoutSpace(read(ROOT.resolve(source))))
                .collect(Collectors.joining("\n"));

        assertThat(blocks.isEmpty()).as("has no Java code").isEqualTo(!SOURCES.containsKey(page));
        assertThat(blocks).allSatisfy(block -> assertThat(sources).as(block).contains(withoutSpace(block)));
    }

    @Test
    void theIndexListsEveryPage() throws IOException {
        String index = read(DOCS.resolve(INDEX));

        assertThat(pages())
                .filteredOn(page -> page.startsWith("docs/") && !page.endsWith(INDEX))
                .allSatisfy(page -> assertThat(index).contains("(" + page.substring("docs/".length()) + ")"));
    }

    @Test
    void theReadmeIsShort() throws IOException {
        assertThat(Files.readAllLines(ROOT.resolve("README.md"))).hasSizeLessThanOrEqualTo(README_LINES);
    }

    private static List<String> javaBlocks(Path page) {
        List<String> blocks = new ArrayList<>();
        StringBuilder block = new StringBuilder();
        boolean inJava = false;
        for (String line : read(page).lines().toList()) {
            if (line.startsWith("```")) {
                if (inJava) {
                    blocks.add(block.toString());
                    block.setLength(0);
                }
                inJava = line.equals("```java");
            } else if (inJava) {
                block.append(line).append('\n');
            }
        }
        return blocks;
    }

    private static String withoutSpace(String code) {
        return code.replaceAll("\\s+", "");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
