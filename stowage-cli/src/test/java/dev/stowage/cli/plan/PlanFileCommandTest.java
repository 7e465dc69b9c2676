package dev.stowage.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import dev.stowage.cli.GgufHead;
import dev.stowage.cli.LexiconFile;
import dev.stowage.cli.text.ByteSize;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufHeader;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufValue;
import dev.stowage.internal.json.JsonCursor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code stowage plan FILE.gguf} prints, answers and refuses. */
class PlanFileCommandTest {
    private static final GgufContents LEXICON = GgufContents.read(LexiconFile.F16);

    @TempDir
    private Path folder;

    private static CommandRun plan(Path file, String line) {
        List<String> args = new ArrayList<>(List.of("plan", file.toString()));
        if (!line.isEmpty()) {
            args.addAll(List.of(line.split(" ")));
        }
        return CommandRun.of(args.toArray(String[]::new));
    }

    private static CommandRun plan(String line) {
        return plan(LexiconFile.F16, line);
    }

    private static JsonCursor json(String line) {
        return plan((line + " --json").strip()).json();
    }

    /** The bytes of weights, caches and results on all devices. */
    private static List<Long> sizes(JsonCursor json) {
        List<Long> sizes = new ArrayList<>();
        for (JsonCursor device : json.get("devices").elements()) {
            for (String what : List.of("weights_bytes", "kv_cache_bytes", "compute_bytes")) {
                sizes.add(device.get(what).asLong());
            }
        }
        return sizes;
    }

    @Test
    void aFileIsPlannedForThisMachineTheWayItIsRun() {
        CommandRun run = plan("");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.outLines().getFirst())
                .isEqualTo(
                        "lexicon-5m-f16.gguf: lexicon-5m, a llama, 512 tokens, context 512, 1 output, plain attention,"
                                + " f16 weights, f16 cache");
        assertThat(run.out())
                .contains("embeddings, layers 0-5, output", "It fits.", "of the memory of this machine are free now")
                .contains("The largest context that fits is 512; the model was trained with 512.");
    }

    @Test
    void aCommandLineOfRunIsPlannedWithItsOptions() {
        CommandRun asOption = CommandRun.of(
                "plan", "-m", LexiconFile.F16.toString(), "-c", "256", "-b", "16", "-t", "2", "-ngl", "99");

        assertThat(asOption.exitCode()).as(asOption.err()).isZero();
        assertThat(asOption.outLines().getFirst())
                .isEqualTo(plan("--ctx 256 --batch 16").outLines().getFirst());
        assertThat(plan("-m small").errLines().getFirst())
                .isEqualTo("stowage: the model is named twice: as an argument and with -m");
    }

    @Test
    void theTiedOutputIsCountedBesideTheEmbeddings() {
        long embeddings = LEXICON.tensor("token_embd.weight").byteSize();

        assertThat(sizes(json("")).getFirst()).isEqualTo(LEXICON.byteSize() + embeddings);
    }

    @Test
    void theHeadOfAFileIsEnough() throws IOException {
        Path head = GgufHead.cut(
                LexiconFile.F16, GgufHeader.read(LexiconFile.F16).dataOffset(), folder.resolve("head.gguf"));

        CommandRun run = plan(head, "--json");

        assertThat(run.exitCode()).isZero();
        assertThat(sizes(run.json())).isEqualTo(sizes(json("")));
        assertThat(plan(head, "").out())
                .contains("The file is not complete: " + ByteSize.format(LEXICON.byteSize())
                        + " of its data are missing.");
    }

    @Test
    void ofASplitModelAnyPartWillDo() throws IOException {
        Path second = GgufHead.split(LEXICON, folder);

        CommandRun run = plan(second, "--json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(sizes(run.json())).isEqualTo(sizes(json("")));
        assertThat(run.json().get("model").asString()).isEqualTo("model-00001-of-00002.gguf");
    }

    @Test
    void theTypesAreThoseOfTheFile() {
        Path mixed = LexiconFile.quantized("Q4_K_M", folder);

        assertThat(plan(mixed, "").outLines().getFirst()).contains("mostly q4_K weights");
        assertThat(sizes(plan(mixed, "--json").json()).getFirst()).isLessThan(LEXICON.byteSize() / 2);
    }

    @Test
    void aContextBeyondTheTrainedOneIsRemarkedOn() {
        CommandRun run = plan("--ctx 1000");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("context 1,000", "trained with a context of 512 tokens");
        assertThat(json("--ctx 1000").get("remarks").elements()).hasSize(1);
        assertThat(json("--ctx 512").get("remarks").elements()).isEmpty();
    }

    @Test
    void moreTokensAtOnceThanTheContextHoldsAreAsManyAsItHolds() {
        assertThat(json("--ctx 100").get("options").get("tokens").asInt()).isEqualTo(100);
        assertThat(json("--batch 64").get("options").get("tokens").asInt()).isEqualTo(64);
        assertThat(json("--tokens 64").get("options").get("tokens").asInt()).isEqualTo(64);
    }

    @Test
    void attentionIsWhatARunWouldHaveUnlessAskedFor() {
        assertThat(json("").get("options").get("flash").asBoolean()).isFalse();
        assertThat(json("--flash").get("options").get("flash").asBoolean()).isTrue();
        assertThat(json("--cache-type q8_0").get("options").get("flash").asBoolean())
                .isTrue();
    }

    @Test
    void theBestSplitIsSaidAndGivesTheSamePlan() {
        String devices = "--batch 64 --devices gpu:9MiB,cpu:16MiB";
        CommandRun run = plan(devices + " --fit");
        JsonCursor fitted = json(devices + " --fit");
        String counts = fitted.get("layers_on").asString();

        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains("The best split is --layers-on " + counts + ", with " + counts + " of 6 layers off");
        assertThat(sizes(json(devices + " --layers-on " + counts))).isEqualTo(sizes(fitted));
        int more = Integer.parseInt(counts) + 1;
        assertThat(plan(devices + " --layers-on " + more).exitCode()).isEqualTo(1);
    }

    @Test
    void theBestSplitIsSaidOfAModelByNameToo() {
        CommandRun run = CommandRun.of("plan", "small", "--devices", "gpu:1GiB,cpu", "--fit");

        assertThat(run.out()).contains("The best split is --layers-on 4, with all 4 layers off the cpu.");
        assertThat(run.out()).contains("The largest context that fits is ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--devices cpu:19MiB --ctx 256 --flash",
                "--devices gpu:9MiB,cpu:14MiB --batch 64 --layers-on 4 --ctx 256 --flash",
                "--devices cpu:40MiB --ctx 16384 --no-flash --batch 32"
            })
    void theLargestContextFitsAndTheNextDoesNot(String line) {
        int largest = json(line).get("largest_context").asInt();
        String rest = line.replaceAll("--ctx \\d+", "");

        assertThat(largest).isPositive();
        assertThat(plan((rest + " --ctx " + largest).replaceAll(" +", " ").strip())
                        .exitCode())
                .isZero();
        assertThat(plan((rest + " --ctx " + (largest + 256))
                                .replaceAll(" +", " ")
                                .strip())
                        .exitCode())
                .isEqualTo(1);
    }

    @Test
    void aLargerContextMayNeedMoreLayersOnTheProcessor() {
        JsonCursor json = json("--batch 64 --ctx 2048 --devices gpu:9MiB,cpu:32MiB");

        assertThat(json.get("largest_context").asInt())
                .isLessThanOrEqualTo(json.get("largest_context_with_any_layers").asInt());
    }

    @Test
    void whatHelpsIsSaidInTheOptionsOfFiles() {
        CommandRun run = plan("--ctx 8192 --devices cpu:24MiB");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("It does not fit: cpu lacks ", "What would help:", "--ctx ", "fits");
        assertThat(run.out()).doesNotContain("--type", "--context", "--tokens");
    }

    @Test
    void noContextFitsWhereTheWeightsAloneAreTooMany() {
        CommandRun run = plan("--devices cpu:4MiB");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("No context fits.");
    }

    @Test
    void aBudgetIsForOneMemory() {
        assertThat(plan("--budget 1GiB").out()).contains("The compute buffer fits into 1.00 GiB");
        assertThat(plan("--budget 1MiB").exitCode()).isEqualTo(1);
    }

    @Test
    void picturesAndExplanationsAreThereToo() {
        Path svg = folder.resolve("plan.svg");
        Path html = folder.resolve("plan.html");

        CommandRun run = plan("--explain --svg " + svg + " --html " + html);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(svg).content().contains("<svg", "ffn_out-5");
        assertThat(html).content().contains("lexicon-5m-f16.gguf");
        assertThat(run.out()).contains("blk.5.ffn_down.weight");
    }

    @Test
    void aNameThatIsKnownIsNotAFile() throws IOException {
        assertThat(Files.exists(Path.of("src"))).isTrue();
        assertThat(CommandRun.of("plan", "SMALL").outLines().getFirst()).startsWith("small: ");
        assertThat(CommandRun.of("plan", "src").exitCode()).isEqualTo(1);
    }

    @Test
    void aFileThatIsNotThereIsSaidToBeMissing() {
        CommandRun run = plan(folder.resolve("none.gguf"), "");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).containsExactly("stowage: no such file: " + folder.resolve("none.gguf"));
    }

    @Test
    void anArchitectureThatIsNotKnownIsNamedWithThoseThatAre() throws IOException {
        Path file = GgufHead.write(
                folder.resolve("strange.gguf"),
                LEXICON.metadata().with(GgufMetadata.ARCHITECTURE, GgufValue.text("rwkv9")),
                GgufHead.tensors(LEXICON, _ -> true));

        CommandRun run = plan(file, "");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().contains("'rwkv9'", "llama", "qwen3");
    }

    @Test
    void aMissingTensorIsNamed() throws IOException {
        Path file = GgufHead.write(
                folder.resolve("gap.gguf"),
                LEXICON.metadata(),
                GgufHead.tensors(LEXICON, name -> !name.equals("blk.3.ffn_up.weight")));

        CommandRun run = plan(file, "");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().contains("gap.gguf", "blk.3.ffn_up.weight");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--type q8_0 | --type means nothing to a file",
                "--batch 4 --tokens 5 | 5 is not 4",
                "--cache-type q8_0 --no-flash | a q8_0 cache needs flash attention",
                "--flash --no-flash | cannot both be",
                "--cache-type i32 | a cache cannot be i32",
                "--devices gpu,cpu --fit --layers-on 3 | omit --layers-on or --fit",
                "--devices gpu,cpu --layers-on 8 | has 6, and the output as one more",
                "--layers-on 3 | for each device before the cpu"
            })
    void nonsenseIsAUsageErrorReportedInOneLine(String line, String message) {
        CommandRun run = plan(line);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.errLines()).hasSize(2);
        assertThat(run.errLines().getFirst()).contains(message);
    }

    @Test
    void fitNeedsDevicesWhereThereIsNoFile() {
        assertThat(CommandRun.of("plan", "small", "--fit").err()).contains("--fit needs devices");
    }
}
