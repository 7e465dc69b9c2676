package dev.stowage.cli.pack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import dev.stowage.cli.StowageCommand;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.packing.Budget;
import dev.stowage.packing.Packers;
import dev.stowage.packing.PackingCsv;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class PackCommandTest {
    /** At most 10 + 20 bytes are live at once, and 40 without reuse. */
    private static final String SIMPLE = """
            id,lower,upper,size
            a,0,3,10
            b,3,9,10
            c,0,9,20
            """;

    /** What stays where it is needs 100 bytes, whatever is done with the other. */
    private static final String FIXED = """
            id,lower,upper,size,alignment,offset
            stays,0,9,10,2,90
            moves,0,9,10,4,
            """;

    @TempDir
    private Path folder;

    private Path file(String csv) {
        Path file = folder.resolve("in.csv");
        try {
            Files.writeString(file, csv);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return file;
    }

    private static CommandRun pack(Path file, String... options) {
        List<String> args = new ArrayList<>(List.of("pack", file.toString()));
        args.addAll(List.of(options));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private static CommandRun packInput(String csv, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = new CommandLine(new PackCommand(new ByteArrayInputStream(csv.getBytes(StandardCharsets.UTF_8))))
                .setExecutionExceptionHandler(StowageCommand.commandLine().getExecutionExceptionHandler())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(args);
        return new CommandRun(exitCode, out.toString(), err.toString());
    }

    /** Blocks of random sizes and lives, too many to be packed to the bound by a budget that small. */
    private static String hard() {
        SplittableRandom random = new SplittableRandom(5);
        StringBuilder csv = new StringBuilder("id,lower,upper,size\n");
        for (int i = 0; i < 200; i++) {
            int lower = random.nextInt(100);
            csv.append(
                    i + "," + lower + "," + (lower + 1 + random.nextInt(30)) + "," + (1 + random.nextInt(1000)) + "\n");
        }
        return csv.toString();
    }

    private List<String> filesThere() throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void saysHowHighHowCloseAndThatItIsProven() {
        CommandRun run = pack(file(SIMPLE));
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out().replaceAll(" +", " "))
                .contains("in.csv: 3 buffers")
                .contains(
                        " height 30 30 B",
                        " lower bound 30 30 B",
                        " ratio 1.0000",
                        " without reuse 40 10 B (25.0 %) saved")
                .contains(" steps ", "of at most 2,000,000")
                .contains("Proven optimal: no packing is lower.")
                .containsPattern("Packed by 'anytime' in [\\d.]+ m?s, and checked\\.");
    }

    @Test
    void jsonHoldsWhatTheLibraryAnswers() {
        Problem problem = PackingCsv.parse(hard());
        PackingResult expected = Packers.named("best").pack(problem, Budget.steps(10_000));

        CommandRun run = pack(file(hard()), "--planner", "best", "--steps", "10000", "--json");
        assertThat(run.exitCode()).isZero();
        JsonCursor json = run.json();
        assertThat(json.get("buffers").asInt()).isEqualTo(200);
        assertThat(json.get("height_bytes").asLong()).isEqualTo(expected.height());
        assertThat(json.get("lower_bound_bytes").asLong()).isEqualTo(expected.lowerBound());
        assertThat(json.get("ratio").asDouble()).isEqualTo(1 + expected.gap());
        assertThat(json.get("proven_optimal").asBoolean()).isEqualTo(expected.isOptimal());
        assertThat(json.get("steps").asLong()).isEqualTo(expected.steps());
        assertThat(json.get("step_limit").asLong()).isEqualTo(10_000);
        assertThat(json.get("planner").asString()).isEqualTo("best");
        assertThat(json.names())
                .contains("outcome", "time_limit_ms", "packing_ms", "written")
                .doesNotContain("capacity");
    }

    @Test
    void withoutABudgetTheStepsAreLimitedSoThatTheAnswerCanBeRepeated() {
        Path file = file(hard());
        JsonCursor first = pack(file, "--planner", "best", "--json").json();
        JsonCursor second =
                pack(file, "--planner", "best", "--minimize", "--json").json();
        assertThat(first.get("step_limit").asLong()).isEqualTo(PackCommand.STANDARD_STEPS);
        assertThat(first.get("height_bytes").asLong())
                .isEqualTo(second.get("height_bytes").asLong());
        assertThat(first.get("steps").asLong()).isEqualTo(second.get("steps").asLong());
    }

    @Test
    void aLimitInTimeTakesThePlaceOfTheOneInSteps() {
        String json = pack(file(SIMPLE), "--time", "1.5s", "--json").out();
        assertThat(json).contains("\"step_limit\": null").containsPattern("\"time_limit_ms\": 1500(\\.0)?\\b");
    }

    @Test
    void bothLimitsCanBeGiven() {
        assertThat(pack(file(SIMPLE), "--time", "10s", "--steps", "7").out()).contains("of at most 7 in at most 10 s");
    }

    @Test
    void aBudgetThatEndsIsSaidToHaveEnded() {
        CommandRun run = pack(file(hard()), "--steps", "0");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains("Not proven optimal: the budget of 0 steps is spent. At most ")
                .contains("are left to gain.");
    }

    @Test
    void aTimeThatIsUpIsSaidToBeUp() {
        assertThat(pack(file(hard()), "--time", "0s").out()).contains("the budget of 0 ms is spent");
    }

    @Test
    void readingTheFileIsPartOfTheTime() {
        CommandRun run = pack(file(hard()), "--time", "1ms");
        assertThat(run.out()).contains("in at most 1 ms").contains("the budget of 1 ms is spent");
    }

    @Test
    void manyBuffersHaveMoreStepsSoThatEveryGreedyOrderIsTried() {
        StringBuilder csv = new StringBuilder("id,lower,upper,size\n");
        for (int i = 0; i < 150_000; i++) {
            csv.append(i).append(',').append(i).append(',').append(i + 1).append(",7\n");
        }
        JsonCursor json = pack(file(csv.toString()), "--json").json();
        assertThat(json.get("step_limit").asLong()).isEqualTo(16L * 150_000);
        assertThat(json.get("height_bytes").asLong()).isEqualTo(7);
    }

    @Test
    void offsetsThatWereGivenAreCheckedAndNotCalledOptimal() {
        Path given = file("id,lower,upper,size,offset\na,0,3,10,50\nb,3,9,10,50\nc,0,9,20,10\n");
        CommandRun run = pack(given);
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains("The given offsets are valid. Other offsets may have a lower height, by at most 30 bytes")
                .doesNotContain("optimal");
        JsonCursor json = pack(given, "--json").json();
        assertThat(json.get("offsets_given").asBoolean()).isTrue();
        assertThat(json.get("proven_optimal").asBoolean()).isFalse();
        assertThat(json.get("peak_load_bytes").asLong()).isEqualTo(30);
        assertThat(pack(given, "--capacity", "60").out()).contains("with 0 to spare. Other offsets may");
    }

    @Test
    void givenOffsetsAtTheLowerBoundAreSaidToBeTheLowest() {
        Path given = file("id,lower,upper,size,offset\na,0,3,10,20\nb,3,9,10,20\nc,0,9,20,0\n");
        assertThat(pack(given).out()).contains("The given offsets are valid. No other offsets have a lower height.");
    }

    @Test
    void aPackerThatMakesOneAttemptIsNotSaidToHaveSpentItsBudget() {
        assertThat(pack(file(hard()), "--planner", "ggml").out())
                .contains("Not proven optimal: 'ggml' has ended its search.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"30", "30B", "1KiB"})
    void aCapacityThatIsMetIsASuccess(String capacity) {
        CommandRun run = pack(file(SIMPLE), "--capacity", capacity);
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("Fits into ", " to spare. Proven optimal");
    }

    @Test
    void aCapacityThatNothingFitsIntoIsAFailureAndSaidToBeProven() {
        CommandRun run = pack(file(SIMPLE), "--capacity", "29");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("Does not fit into 29 bytes, by 1 or more. That is proven");
        JsonCursor capacity =
                pack(file(SIMPLE), "--capacity", "29", "--json").json().get("capacity");
        assertThat(capacity.get("fits").asBoolean()).isFalse();
        assertThat(capacity.get("proven_unfit").asBoolean()).isTrue();
        assertThat(capacity.get("missing_bytes").asLong()).isEqualTo(1);
    }

    @Test
    void aCapacityThatIsOutOfReachForTheBudgetIsAFailureAndSaidToBeOpen() {
        Path file = file(hard());
        long bound = pack(file, "--planner", "ggml", "--json")
                .json()
                .get("lower_bound_bytes")
                .asLong();
        CommandRun run = pack(file, "--planner", "ggml", "--capacity", Long.toString(bound));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out())
                .contains("No packing found that fits into ")
                .contains("Whether one fits is not known: 'ggml' has ended its search.");
        JsonCursor json = pack(file, "--planner", "ggml", "--capacity", Long.toString(bound), "--json")
                .json();
        assertThat(json.get("outcome").asString()).isEqualTo("gave_up");
        assertThat(json.get("capacity").get("proven_unfit").asBoolean()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ggml", "size", "area", "lifetime", "conflicts", "best", "exact", "anytime"})
    void everyPlannerPacks(String planner) {
        CommandRun run = pack(file(SIMPLE), "--planner", planner);
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("Packed by '" + planner + "'");
    }

    @Test
    void theOffsetsAreWrittenAndAreAPackingOfTheSameHeight() throws IOException {
        Path output = folder.resolve("out.csv");
        CommandRun run = pack(file(FIXED), "--output", output.toString());
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("Written: " + output);

        Problem written = PackingCsv.read(output);
        assertThat(written.fixedOffset(0)).hasValue(90);
        assertThat(written.isFixed(1)).isTrue();
        assertThat(written.alignment(1)).isEqualTo(4);
        assertThat(pack(output, "--json").json().get("height_bytes").asLong()).isEqualTo(100);
        assertThat(filesThere()).containsExactly("in.csv", "out.csv");
    }

    @Test
    void theFileThatIsReadMayBeTheOneThatIsWritten() {
        Path file = file(SIMPLE);
        assertThat(pack(file, "--output", file.toString()).exitCode()).isZero();
        assertThat(PackingCsv.read(file).isFixed(0)).isTrue();
    }

    @Test
    void thePackingIsDrawn() throws IOException {
        Path picture = folder.resolve("out.svg");
        CommandRun run = pack(file(SIMPLE), "--svg", picture.toString(), "--json");
        assertThat(run.exitCode()).isZero();
        assertThat(run.json().get("written").elements().stream().map(JsonCursor::asString))
                .containsExactly(picture.toString());
        assertThat(Files.readString(picture))
                .startsWith("<svg")
                .contains("<title>a\n10 B (10 bytes)", "height 30 B")
                .endsWith("</svg>\n");
        assertThat(filesThere()).containsExactly("in.csv", "out.svg");
    }

    @Test
    void offsetsThatDoNotFitAreNotWrittenButThePictureIs() throws IOException {
        Path output = folder.resolve("out.csv");
        Files.writeString(output, "before");
        CommandRun run = pack(
                file(SIMPLE),
                "--capacity",
                "29",
                "--output",
                output.toString(),
                "--svg",
                folder.resolve("out.svg").toString());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(Files.readString(output)).isEqualTo("before");
        assertThat(run.out()).contains("Written: " + folder.resolve("out.svg")).doesNotContain("Written: " + output);
    }

    @ParameterizedTest
    @CsvSource({"--output, the offsets", "--svg, the picture"})
    void whatCannotBeWrittenIsReportedInOneLineAndLeavesNoFile(String option, String what) throws IOException {
        Path missing = folder.resolve("missing").resolve("out");
        CommandRun run = pack(file(SIMPLE), option, missing.toString());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.errLines())
                .singleElement()
                .asString()
                .startsWith("stowage: cannot write " + what + " to " + missing)
                .contains("there is no directory");
        assertThat(filesThere()).containsExactly("in.csv");
    }

    @Test
    void ifOneOfTwoFilesCannotBeWrittenNeitherIs() throws IOException {
        Files.createDirectory(folder.resolve("taken"));
        CommandRun run = pack(
                file(SIMPLE),
                "--output",
                folder.resolve("out.csv").toString(),
                "--svg",
                folder.resolve("taken").toString());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().contains("it is a directory");
        assertThat(filesThere()).containsExactly("in.csv", "taken");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'' | line 1: the header is missing",
                "id,lower,upper | line 1: the column 'size' is missing",
                "id,lower,upper,size,aligment | line 1: there is no column 'aligment'; did you mean 'alignment'?",
                "id,lower,upper,sizes | line 1: there is no column 'sizes'; did you mean 'size'?",
                "id,lower,upper,size;a,0,3,1;b,0,3,1;a,4,5,1 | line 4: the id 'a' is that of line 2 already",
                "id,lower,upper,size;a,0,3 | line 2: there are 3 fields for 4 columns",
                "id,lower,upper,size;a,0,3,1;b,0,3,many | line 3: the size 'many' is not a whole number",
                "id,lower,upper,size;a,3,3,1 | line 2: buffer 'a' is live in [3, 3), which is empty",
                "id,lower,upper,size;a,0,3,-1 | line 2: buffer 'a' has -1 bytes",
                "id,lower,upper,size;;a,0,3,99999999999999999999 | line 3: the size '99999999999999999999' is beyond",
                "id,lower,upper,size,offset;a,0,3,2,0;b,2,4,2,1 | line 3: buffer 'b' is fixed at offset 1"
            })
    void aBrokenFileIsReportedByLineAndReason(String lines, String reason) {
        CommandRun run = pack(file(lines.replace("''", "").replace(';', '\n')));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.errLines())
                .singleElement()
                .asString()
                .startsWith("stowage: ")
                .contains("in.csv, ", reason);
    }

    @Test
    void aFileThatIsNotThereIsSaidToBeMissing() {
        Path missing = folder.resolve("missing.csv");
        CommandRun run = pack(missing);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).containsExactly("stowage: no such file: " + missing);
    }

    @Test
    void aFileThatIsNotTextIsRefused() throws IOException {
        Path file = folder.resolve("in.csv");
        Files.write(file, new byte[] {(byte) 0xFF, (byte) 0xFE, 0});
        CommandRun run = pack(file);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().contains("is not text in UTF-8");
    }

    @Test
    void buffersAreReadFromStandardInputToo() {
        CommandRun run = packInput(SIMPLE, "-");
        assertThat(run.exitCode()).isZero();
        assertThat(run.outLines().getFirst()).isEqualTo("standard input: 3 buffers");
    }

    @Test
    void brokenInputIsReportedByLineAndReason() {
        CommandRun run = packInput("id,lower,upper,size\na,0,3\n", "-");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).containsExactly("stowage: standard input, line 2: there are 3 fields for 4 columns");
    }

    @Test
    void capitalisedAndFurtherColumnsAreNoReasonToRefuse() {
        CommandRun run = packInput("ID,Lower,UPPER,Size,Comment\na,0,3,7,first\nb,3,4,5,\n", "-");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("height", " 7 ");
    }

    @Test
    void aHeaderAloneNeedsNoMemory() {
        CommandRun run = pack(file("id,lower,upper,size\n"), "--capacity", "0");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("0 buffers", "Fits into 0 bytes");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--capacity -1 | '-1' is not a number of bytes",
                "--capacity much | 'much' is not a number of bytes, such as 1048576",
                "--capacity 9223372036854775808 | '9223372036854775808' is not a number of bytes",
                "--capacity 1 --minimize | mutually exclusive",
                "--steps -1 | '-1' is not a whole number from 0",
                "--steps 1.5 | '1.5' is not a whole number from 0",
                "--time 10 | '10' is not a time with a unit, such as 500ms, 10s or 2m",
                "--time -1s | '-1s' is not a time",
                "--time 9999999999h | '9999999999h' is not a time",
                "--planner tight | unknown planner 'tight'; known are ggml, size",
                "--output x --svg ./x | --output and --svg are the same file",
                "b.csv | one argument too many: 'b.csv'",
                "--frobnicate | unknown option"
            })
    void nonsenseIsAUsageErrorReportedInOneLine(String options, String message) {
        CommandRun run = pack(Path.of("a.csv"), options.split(" ", -1));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.errLines()).hasSize(2);
        assertThat(run.errLines().getFirst())
                .startsWith("stowage: ")
                .contains(message)
                .doesNotContain("Error: ");
        assertThat(run.errLines().getLast()).isEqualTo("Try 'stowage pack --help'.");
    }

    @Test
    void theFileMustBeNamed() {
        CommandRun run = CommandRun.of("pack");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.errLines().getFirst()).contains("Missing required parameter", "FILE.csv");
    }

    @Test
    void helpShowsDefaultsAndExitCodes() {
        CommandRun run = CommandRun.of("pack", "--help");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().replaceAll("\\s+", " "))
                .startsWith("Usage: stowage pack ")
                .contains(Packers.names())
                .contains("Default: " + Packers.standard().name() + ".", "Default: " + PackCommand.STANDARD_STEPS)
                .contains("[--capacity=SIZE | --minimize]", "1 the capacity is not met", "Examples:");
    }

    @Test
    void completionKnowsThePlanners() {
        assertThat(CommandRun.of("completion").out()).contains(String.join("\" \"", Packers.names()));
    }

    @Test
    void readingAndCheckingAreTakenOffTheTime() {
        Duration tenSeconds = Duration.ofSeconds(10);
        assertThat(PackCommand.timeToPack(tenSeconds, 1_000_000_000L, 1_000_000))
                .isEqualTo(Duration.ofSeconds(7));
        assertThat(PackCommand.timeToPack(tenSeconds, 0, 0)).isEqualTo(tenSeconds);
        assertThat(PackCommand.timeToPack(tenSeconds, 1_000_000_000L, 10_000_000))
                .isEqualTo(Duration.ZERO);
    }
}
