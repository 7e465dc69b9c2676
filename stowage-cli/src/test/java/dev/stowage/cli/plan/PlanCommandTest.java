package dev.stowage.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.memory.HostBufferType;
import dev.stowage.models.ModelGraph;
import dev.stowage.models.ModelShape;
import dev.stowage.models.ModelShapes;
import dev.stowage.models.Pass;
import dev.stowage.models.TokenChoice;
import dev.stowage.models.TransformerGraph;
import dev.stowage.models.TransformerOptions;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.Planner;
import dev.stowage.tensor.ElementType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlanCommandTest {
    private static List<String> models() {
        return ModelShapes.all().stream().map(ModelShape::name).toList();
    }

    private static CommandRun plan(String... args) {
        String[] all = new String[args.length + 1];
        all[0] = "plan";
        System.arraycopy(args, 0, all, 1, args.length);
        return CommandRun.of(all);
    }

    /** A line of the options, split at spaces. */
    private static CommandRun planLine(String line) {
        return plan(line.split(" "));
    }

    @Test
    void theSmallModelIsPlannedByDefault() {
        CommandRun run = plan();
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.outLines().getFirst()).startsWith("small: ").contains("512 tokens", "context 4,096", "flash");
    }

    @ParameterizedTest
    @MethodSource("models")
    void everyModelIsPlanned(String model) {
        CommandRun run = plan(model);
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .startsWith(model + ": ")
                .contains("parameters", "nodes", "weights", "compute buffer", "lower bound", "ratio")
                .contains("without reuse", "saved", "total", "The most is live at node")
                .contains("Planned by 'ggml' in ");
    }

    @Test
    void atMostFiveOfTheTensorsAtThePeakAreListed() {
        List<String> lines = plan("llama-3-8b").outLines();
        int heading = indexOfPeak(lines);
        assertThat(lines.get(heading)).contains("tensors, the largest of which are");
        assertThat(lines.subList(heading + 1, heading + 6))
                .allMatch(line -> line.matches(" +[\\d.]+ [KMG]?i?B  \\S.*"));
        assertThat(lines.get(heading + 6)).isEmpty();
    }

    private static int indexOfPeak(List<String> lines) {
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith("The most is live")) {
                return i;
            }
        }
        throw new AssertionError("no peak in " + lines);
    }

    @Test
    void columnsAreAligned() {
        List<String> lines = plan("llama-3-8b").outLines();
        List<String> rows = lines.subList(2, lines.indexOf("") + 10);
        assertThat(rows).hasSize(9).allSatisfy(row -> {
            assertThat(row).startsWith("  ");
            assertThat(row.substring(0, 31)).doesNotEndWith(" ");
            assertThat(row.substring(31)).matches("(  \\S.*)?");
        });
    }

    @Test
    void jsonHoldsTheFactsOfThePlanItself() {
        ModelGraph model = TransformerGraph.ofPasses(
                        ModelShapes.transformer("llama-3-1b"),
                        new TransformerOptions(64, 1024, 3, true, ElementType.Q8_0, ElementType.Q8_0),
                        Map.of(),
                        List.of(new Pass(64, 1024, 3, TokenChoice.LARGEST)))
                .getFirst()
                .inMeasuredMemory();
        MemoryPlan expected = Planner.ggml().plan(PlanRequest.of(model.graph(), HostBufferType.standard()));

        CommandRun run = planLine(
                "llama-3-1b --json --tokens 64 --context 1024 --outputs 3 --flash --type q8_0 --cache-type q8_0");
        assertThat(run.exitCode()).isZero();
        JsonCursor json = run.json();
        assertThat(json.get("model").asString()).isEqualTo("llama-3-1b");
        assertThat(json.get("parameters").asLong()).isEqualTo(1_235_814_400L);
        assertThat(json.get("nodes").asLong()).isEqualTo(model.graph().nodeCount());
        assertThat(json.get("leaves").asLong()).isEqualTo(model.graph().leafCount());
        assertThat(json.get("weights_bytes").asLong()).isEqualTo(model.weightBytes());
        assertThat(json.get("kv_cache_bytes").asLong()).isEqualTo(model.cacheBytes());
        assertThat(json.get("compute_bytes").asLong()).isEqualTo(expected.size());
        assertThat(json.get("lower_bound_bytes").asLong())
                .isEqualTo(expected.analysis().lowerBound());
        assertThat(json.get("ratio").asDouble()).isEqualTo(expected.analysis().ratio());
        assertThat(json.get("without_reuse_bytes").asLong())
                .isEqualTo(expected.analysis().sumOfSizes());
        assertThat(json.get("saved_bytes").asLong())
                .isEqualTo(expected.analysis().sumOfSizes() - expected.size());
        assertThat(json.get("total_bytes").asLong())
                .isEqualTo(model.weightBytes() + model.cacheBytes() + expected.size());
        assertThat(json.get("planner").asString()).isEqualTo("ggml");
        assertThat(json.get("planning_ms").asDouble()).isNotNegative();
    }

    @Test
    void jsonSaysHowTheModelIsRun() {
        JsonCursor options = plan("--json", "--tokens", "7").json().get("options");
        assertThat(options.get("tokens").asInt()).isEqualTo(7);
        assertThat(options.get("context").asInt()).isEqualTo(4096);
        assertThat(options.get("outputs").asInt()).isEqualTo(1);
        assertThat(options.get("flash").asBoolean()).isTrue();
        assertThat(options.get("type").asString()).isEqualTo("f16");
        assertThat(options.get("cache_type").asString()).isEqualTo("f16");
        assertThat(plan("resnet-50", "--json", "--batch", "4")
                        .json()
                        .get("options")
                        .names())
                .containsExactly("batch", "type");
    }

    @Test
    void jsonListsTheLargestTensorsFirst() {
        JsonCursor peak = plan("--json").json().get("peak");
        List<JsonCursor> largest = peak.get("largest").elements();
        assertThat(largest)
                .hasSizeBetween(1, 5)
                .hasSizeLessThanOrEqualTo(peak.get("live_tensors").asInt());
        assertThat(largest.stream().map(tensor -> -tensor.get("bytes").asLong()))
                .isSorted();
        assertThat(largest).allSatisfy(tensor -> {
            assertThat(tensor.get("shape").asLongs()).hasSize(4);
            assertThat(tensor.get("reason").asString()).isNotBlank();
        });
    }

    @ParameterizedTest
    @MethodSource("models")
    void jsonOfEveryModelIsOneDocument(String model) {
        CommandRun run = plan(model, "--json");
        assertThat(run.exitCode()).isZero();
        assertThat(run.json().get("model").asString()).isEqualTo(model);
    }

    @Test
    void aBatchIsNoLargerThanTheContext() {
        JsonCursor options = plan("--json", "--batch", "5000").json().get("options");
        assertThat(options.get("context").asInt()).isEqualTo(4096);
        assertThat(options.get("tokens").asInt()).isEqualTo(4096);
    }

    @Test
    void typesAndModelsAreFoundInUpperAndLowerCase() {
        JsonCursor json = plan("SMALL", "--json", "--type", "Q4_k").json();
        assertThat(json.get("model").asString()).isEqualTo("small");
        assertThat(json.get("options").get("type").asString()).isEqualTo("q4_K");
    }

    @Test
    void explainAddsWhatThePlanSaysOfItself() {
        assertThat(plan().out()).doesNotContain("Plan by 'ggml' for");
        assertThat(plan("--explain").out()).contains("Planned by 'ggml' in", "Plan by 'ggml' for 131 nodes");
        assertThat(plan("--explain", "--json").json().get("explanation").asString())
                .startsWith("Plan by 'ggml' for 131 nodes");
    }

    @Test
    void drawsThePlanIntoAFile(@TempDir Path folder) throws IOException {
        Path picture = folder.resolve("plan.svg");

        CommandRun run = CommandRun.of("plan", "small", "--tokens", "8", "--svg", picture.toString());

        assertThat(run.exitCode()).isZero();
        assertThat(Files.readString(picture))
                .startsWith("<svg")
                .contains("result_output")
                .endsWith("</svg>\n");
        assertThat(folder).isDirectoryContaining("glob:**plan.svg").isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void writesAPageAboutThePlan(@TempDir Path folder) throws IOException {
        Path page = folder.resolve("plan.html");

        CommandRun run = CommandRun.of("plan", "small", "--tokens", "8", "--html", page.toString());

        assertThat(run.exitCode()).isZero();
        assertThat(Files.readString(page))
                .startsWith("<!DOCTYPE html>")
                .contains("<h1>" + run.outLines().getFirst() + "</h1>", "result_output")
                .endsWith("</html>\n");
        assertThat(folder).isDirectoryContaining("glob:**plan.html").isDirectoryNotContaining("glob:**.part");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--svg", "--html"})
    void saysInOneLineWhereAPictureCannotBeWritten(String option, @TempDir Path folder) {
        Path picture = folder.resolve("missing").resolve("plan");

        CommandRun run = CommandRun.of("plan", "small", option, picture.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().contains("cannot write the picture to " + picture);
    }

    @Test
    void listShowsEveryModelWithItsParameters() {
        CommandRun run = plan("--list");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains(models()).contains("8,030,261,248", "32 layers", "3-4-6-3 blocks");
    }

    @Test
    void listIsThereAsJsonToo() {
        List<JsonCursor> listed = plan("--list", "--json").json().get("models").elements();
        assertThat(listed.stream().map(model -> model.get("model").asString())).containsExactlyElementsOf(models());
    }

    @Test
    void helpShowsDefaultsAndExamples() {
        CommandRun run = plan("--help");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().replaceAll("\\s+", " "))
                .startsWith("Usage: stowage plan ")
                .contains(models())
                .contains("Default: small.", "Default: 512.", "Default: that, and at most 4096.", "Default: f16.")
                .contains("Default: ggml.", "Examples:", "Exit codes:");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--tokens 0 | '0' is not a whole number from 1",
                "--tokens -1 | '-1' is not a whole number from 1",
                "--tokens=-1 | '-1' is not a whole number from 1",
                "--tokens many | 'many' is not a whole number from 1",
                "--tokens 1.5 | '1.5' is not a whole number from 1",
                "--tokens 99999999999 | '99999999999' is not a whole number from 1",
                "--context -1 | '-1' is not a whole number from 0",
                "--outputs 0 | '0' is not a whole number from 1",
                "resnet-50 --batch 0 | '0' is not a whole number from 1",
                "--outputs 513 | outputs must be between 1 and the number of tokens, 512",
                "--type q9 | unknown element type 'q9'; known are f32, f16",
                "--type i32 | weights cannot be i32; possible are f32, f16",
                "--cache-type q4_K | a cache cannot be q4_K; possible are f32, f16",
                "--cache-type q8_0 --no-flash | a q8_0 cache needs flash attention",
                "--planner best | unknown planner 'best'; known are ggml",
                "gpt-9 | unknown model 'gpt-9'; known are small",
                "small large | one argument too many: 'large'",
                "resnet-50 --tokens 4 | --tokens means nothing to resnet-50",
                "resnet-50 --flash | --flash means nothing to resnet-50",
                "resnet-50 --no-flash | --no-flash means nothing to resnet-50",
                "small --flash --no-flash | cannot both be",
                "llama-3-8b --batch 4 --tokens 5 | --tokens is a former name of --batch, but 5 is not 4",
                "--tokens | Missing required parameter for option '--tokens'",
                "--frobnicate | unknown option"
            })
    void nonsenseIsAUsageErrorReportedInOneLine(String line, String message) {
        CommandRun run = planLine(line);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.errLines()).hasSize(2);
        assertThat(run.errLines().getFirst()).startsWith("stowage: ").contains(message);
        assertThat(run.errLines().getLast()).isEqualTo("Try 'stowage plan --help'.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--batch", "--ctx", "--cache-type", "llama-3-8b", "q4_K"})
    void completionKnowsOptionsModelsAndTypes(String word) {
        assertThat(CommandRun.of("completion").out()).contains(word);
    }

    /** The sizes are those that llama-bench prints for files of these mixtures. */
    @ParameterizedTest
    @CsvSource({"q4_K_M, 4.58 GiB", "Q5_K_M, 5.33 GiB", "q3_k_s, 3.41 GiB"})
    void aMixtureHasTheSizeOfAFileThatIsQuantisedToIt(String type, String weights) {
        CommandRun run = CommandRun.of("plan", "llama-3-8b", "--batch", "1", "--type", type);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains(type.toUpperCase(Locale.ROOT) + " weights")
                .containsPattern("weights +" + weights);
    }

    @Test
    void aMixtureIsNothingForAnImageNetwork() {
        CommandRun run = CommandRun.of("plan", "resnet-50", "--type", "q4_K_M");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("Q4_K_M is a mixture for language models");
    }
}
