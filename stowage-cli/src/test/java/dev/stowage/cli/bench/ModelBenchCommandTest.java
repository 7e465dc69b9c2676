package dev.stowage.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import dev.stowage.cli.LexiconFile;
import dev.stowage.internal.json.JsonCursor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code stowage bench FILE.gguf} prints, answers and refuses; how fast it is, is not looked at. */
class ModelBenchCommandTest {
    private static final String MODEL = LexiconFile.F16.toString();

    @TempDir
    private Path folder;

    private static CommandRun bench(String line) {
        return CommandRun.of(("bench " + MODEL + " " + line).split(" "));
    }

    /** A program that records how it was called and prints what it is given. */
    private void program(String below, String... lines) throws IOException {
        Path place = Files.createDirectories(folder.resolve(below)).resolve("llama-bench");
        Files.writeString(
                place, "#!/bin/sh\necho \"$@\" >> '" + folder.resolve("calls") + "'\n" + String.join("\n", lines));
        Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String said(int prompt, int generated, String speeds) {
        return "{\"n_prompt\": " + prompt + ", \"n_gen\": " + generated + ", \"n_threads\": 1, \"avg_ts\": 4.0,"
                + " \"stddev_ts\": 1.0" + speeds + "}";
    }

    @Test
    void everyTestIsALineAsInLlamaBench() {
        CommandRun run = bench("-p 4 -n 2 -t 1 -r 2 --device cpu");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.outLines().stream().map(line -> line.strip().replaceAll(" +", " ")))
                .satisfiesExactly(
                        head -> assertThat(head).isEqualTo("model size params device threads test t/s median"),
                        prompt -> assertThat(prompt)
                                .matches("lexicon-5m-f16 10.01 MiB 5.25 M cpu 1 pp4 [\\d.]+ ± [\\d.]+ [\\d.]+"),
                        generation -> assertThat(generation)
                                .matches("lexicon-5m-f16 10.01 MiB 5.25 M cpu 1 tg2 [\\d.]+ ± [\\d.]+ [\\d.]+"));
    }

    @Test
    void everyDepthAndNumberOfSequencesIsATestOfItsOwn() {
        CommandRun run = bench("-p 3 -n 2 -t 1 -r 1 --device cpu --sequences 1,3 -d 0,5 --json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.json().elements().stream()
                        .map(each -> "p%d n%d x%d d%d"
                                .formatted(
                                        each.get("n_prompt").asInt(),
                                        each.get("n_gen").asInt(),
                                        each.get("n_sequences").asInt(),
                                        each.get("n_depth").asInt())))
                .containsExactly(
                        "p3 n0 x1 d0", "p0 n2 x1 d0", "p0 n2 x3 d0", "p3 n0 x1 d5", "p0 n2 x1 d5", "p0 n2 x3 d5");
    }

    @Test
    void theModelMayBeAnOptionAndLackItsSuffix() {
        String name = LexiconFile.F16.toString().replaceFirst("\\.gguf$", "");
        CommandRun run = CommandRun.of(
                "bench", "-m", name, "-p", "2", "-n", "0", "-t", "1", "-r", "1", "--device", "cpu", "--json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.json().elements()).hasSize(1);
    }

    @Test
    void onlyGenerationIsGreedy() {
        CommandRun run = bench("-p 3 -n 2 -t 1 -r 1 --device cpu --sequences 2 --greedy --json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.json().elements().stream().map(each -> each.get("greedy").asBoolean()))
                .containsExactly(false, true);
    }

    @Test
    void theOtherProgramBeginsAtTheSameDepth() throws IOException {
        program("", "echo '[" + said(0, 2, ", \"n_depth\": 5") + "]'");

        CommandRun run = bench("-p 0 -n 2 -d 5 -t 1 -r 1 --device cpu --json --against " + folder);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.json().elements().getFirst().get("ratio").asDouble()).isPositive();
        assertThat(Files.readString(folder.resolve("calls"))).contains(" -n 2 -d 5 -t 1 ");
    }

    @Test
    void severalSequencesAreNotComparedWithAProgramThatHasOne() throws IOException {
        program("", "exit 1");

        CommandRun run = bench("-p 0 -n 2 --sequences 4 --against " + folder);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().contains("one sequence at a time", "tg2 x 4");
    }

    @Test
    void noMoreThreadsThanProcessorsAreMeasuredOrShown() {
        int processors = Runtime.getRuntime().availableProcessors();

        CommandRun run = bench("-p 2 -n 0 -r 1 --device cpu --json -t 1000," + processors + ",2000");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.errLines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(line)
                        .matches("--threads \\d000: this machine has " + processors + " processors?, so " + processors
                                + " are used"));
        assertThat(run.json().elements())
                .singleElement()
                .satisfies(only -> assertThat(only.get("n_threads").asInt()).isEqualTo(processors));
    }

    @Test
    void theSameIsMeasuredByTheOtherProgramAndCompared() throws IOException {
        program("build/bin", "echo '[" + said(3, 0, ", \"samples_ts\": [5.0, 4.0, 3.0]") + "]'");

        CommandRun run = bench("-p 3 -n 0 -t 1 -r 3 --device cpu --batch 64 --no-flash --json --against " + folder);

        assertThat(run.exitCode()).as(run.err()).isZero();
        JsonCursor only = run.json().elements().getFirst();
        assertThat(only.get("n_prompt").asInt()).isEqualTo(3);
        assertThat(only.get("n_gen").asInt()).isZero();
        assertThat(only.get("n_threads").asInt()).isEqualTo(1);
        assertThat(only.get("flash_attn").asBoolean()).isFalse();
        assertThat(only.get("samples_ts").elements()).hasSize(3);
        assertThat(only.get("against").get("median_ts").asDouble()).isEqualTo(4.0);
        assertThat(only.get("ratio").asDouble()).isEqualTo(only.get("median_ts").asDouble() / 4.0);
        assertThat(Files.readString(folder.resolve("calls")))
                .isEqualTo("-m " + MODEL + " -p 3 -n 0 -t 1 -r 3 -o json -b 64 -ub 64 -ctk f16 -ctv f16 -fa 0\n");
    }

    @Test
    void theTableHasTheRatioInItsLastColumn() throws IOException {
        program("", "echo '[" + said(0, 2, "") + "]'");

        CommandRun run = bench("-p 0 -n 2 -t 1 -r 1 --device cpu --against " + folder);

        List<String> lines = run.outLines();
        assertThat(lines).hasSize(2);
        assertThat(lines.getFirst()).contains("llama.cpp t/s").endsWith("ratio");
        assertThat(lines.getLast().replaceAll(" +", " ")).matches(".* tg2 .* 4.00 ± 0.00 4.00 [\\d.]+");
    }

    @Test
    void aFolderWithoutTheOtherProgramIsRefusedBeforeAnythingIsMeasured() {
        CommandRun run = bench("--against " + folder);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().contains("no program 'llama-bench'", folder.toString());
    }

    /** What measures the library is not there, as in an installation without the sources. */
    @Test
    void theLibraryAloneIsForACheckout() throws IOException {
        Files.createFile(folder.resolve("libllama.v0.5.0.so"));

        CommandRun run = bench("--against " + folder);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().contains("./stowage bench in a checkout");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "echo 'no such model' >&2; exit 3 | failed with status 3: no such model",
                "echo '[]' | says nothing about pp2 with 1 threads",
                "echo 'main: build' | printed results in an unexpected format"
            })
    void whatGoesWrongThereIsReportedInOneLine(String script, String message) throws IOException {
        program("bin", script);

        CommandRun run = bench("-p 2 -n 0 -t 1 -r 1 --device cpu --against " + folder);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.errLines()).singleElement().asString().contains(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "-p 0 -n 0 | there is nothing to measure",
                "-p -1 | '-1' is not a whole number from 0",
                "--sequences 0 | '0' is not a whole number from 1",
                "-d -1 | '-1' is not a whole number from 0",
                "-t 0 | '0' is not a whole number from 1",
                "-r 0 | '0' is not a whole number from 1",
                "--flash --no-flash | cannot both be",
                "--cache-type q9 | unknown element type 'q9'"
            })
    void nonsenseIsAUsageError(String line, String message) {
        CommandRun run = bench(line);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.errLines().getFirst()).contains(message);
    }

    @Test
    void anUnknownDeviceIsNamedWithThoseThereAre() {
        CommandRun run = bench("--device gpu9");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().contains("gpu9", "there are: ");
    }

    @Test
    void aFileThatIsNotThereIsSaidToBeMissing() {
        CommandRun run = CommandRun.of("bench", "none.gguf");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).containsExactly("stowage: no such file: none.gguf");
    }

    @ParameterizedTest
    @ValueSource(strings = {"MODEL.gguf", "pp128", "--against", "ops"})
    void helpTellsOfModelsAndOfSubcommands(String word) {
        CommandRun run = CommandRun.of("bench", "--help");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains(word);
    }
}
