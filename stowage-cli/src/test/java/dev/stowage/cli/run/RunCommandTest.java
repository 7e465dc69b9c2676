package dev.stowage.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import dev.stowage.cli.LexiconFile;
import dev.stowage.cli.StowageCommand;
import dev.stowage.cli.option.EmbeddedModel;
import dev.stowage.cli.text.StandardInput;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Entries are those that llama.cpp writes with the same file, taking the most likely token always. */
class RunCommandTest {
    private static final String PROMPT = "scheduler, n.";
    private static final String ENTRY = "a person who schedules scheduled goods.";
    private static final String OTHER_PROMPT = "compiler, n.";
    private static final String OTHER_ENTRY = "a person who compiles information.";

    @TempDir
    private Path folder;

    private static CommandRun run(String... args) {
        return runWithInput("", args);
    }

    private static CommandRun runWithInput(String typed, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = execute(typed, new PrintWriter(out), new PrintWriter(err), args);
        return new CommandRun(exitCode, out.toString(), err.toString());
    }

    private static int execute(String typed, PrintWriter out, PrintWriter err, String... args) {
        byte[] input = typed.getBytes(StandardCharsets.UTF_8);
        CommandLine commandLine = StowageCommand.commandLine();
        commandLine.getCommandSpec().removeSubcommand("run");
        commandLine
                .addSubcommand(new RunCommand(
                        new StandardInput(() -> new ByteArrayInputStream(input), () -> !typed.isEmpty())))
                .setPosixClusteredShortOptionsAllowed(false)
                .setExecutionExceptionHandler(commandLine.getExecutionExceptionHandler())
                .setParameterExceptionHandler(commandLine.getParameterExceptionHandler())
                .setOut(out)
                .setErr(err);
        List<String> all = new ArrayList<>(List.of("run"));
        all.addAll(Arrays.asList(args));
        return StowageCommand.execute(commandLine, all.toArray(String[]::new));
    }

    @Test
    void withoutAModelTheEmbeddedOneWritesAnEntry() {
        CommandRun run = run(PROMPT);

        assertThat(run.exitCode()).isZero();
        assertThat(run.outLines()).containsExactly(ENTRY);
    }

    @Test
    void theClosingLineSaysSpeedAndMemory() {
        assertThat(run(PROMPT, "-n", "3").errLines())
                .singleElement()
                .asString()
                .matches(
                        "\\d+ tokens read at [\\d.]+ t/s( \\(while still compiling\\))?, 3 written at [\\d.]+ t/s; memory: weights [\\d.]+ MiB,"
                                + " KV cache [\\d.]+ MiB, compute [\\d.]+ MiB as planned");
    }

    @Test
    void aPromptFileThatCannotBeReadIsNamedWithTheReason() throws IOException {
        Path binary = Files.write(folder.resolve("prompt.bin"), new byte[] {'h', (byte) 0xff, (byte) 0xfe});

        CommandRun text = run("-f", binary.toString());
        assertThat(text.exitCode()).isEqualTo(1);
        assertThat(text.errLines())
                .containsExactly(
                        "stowage: " + binary + " is not text in UTF-8, so it cannot be a prompt: save it as such");

        CommandRun directory = run("-f", folder.toString());
        assertThat(directory.exitCode()).isEqualTo(1);
        assertThat(directory.errLines()).containsExactly("stowage: " + folder + " cannot be read: it is a directory");
    }

    @Test
    void theFormerNameOfTheOutputLengthIsKept() {
        assertThat(run(PROMPT, "--tokens", "3").out())
                .isEqualTo(run(PROMPT, "--generate", "3").out());
    }

    @Test
    void aModelThatIsNamedRuns() {
        assertThat(run(EmbeddedModel.file().toString(), PROMPT, "--temp", "0").outLines())
                .containsExactly(ENTRY);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--device=reference",
                "--device=cpu --threads=2",
                "--device=reference,cpu --layers-on=3",
                "--planner=tight",
                "--no-flash",
                "--no-mmap",
                "--cache-type=q8_0",
                "--batch=2",
                "--ctx=64",
                "--repeat-penalty=1"
            })
    void writesTheSameHoweverItIsRun(String options) {
        List<String> args = new ArrayList<>(List.of(PROMPT));
        args.addAll(List.of(options.split(" ", -1)));

        CommandRun run = run(args.toArray(String[]::new));

        assertThat(run.err()).as(options).contains("written");
        assertThat(run.outLines()).as(options).containsExactly(ENTRY);
    }

    @Test
    void usesNoMoreThreadsThanProcessorsAndSaysSo() {
        int processors = Runtime.getRuntime().availableProcessors();

        CommandRun run = run(PROMPT, "--device=cpu", "--threads=1000");

        assertThat(run.errLines())
                .filteredOn(line -> line.startsWith("--threads 1000: this machine has " + processors + " processor"))
                .hasSize(1);
        assertThat(run.outLines()).containsExactly(ENTRY);
    }

    @Test
    void theSameSeedGivesTheSameText() {
        String[] args = {PROMPT, "--seed", "7", "-n", "8"};

        assertThat(run(args).out()).isEqualTo(run(args).out());
    }

    @Test
    void aSeedBringsChanceIn() {
        Set<String> texts = new HashSet<>();
        IntStream.range(0, 4)
                .forEach(seed -> texts.add(
                        run(PROMPT, "-n", "8", "--seed", Integer.toString(seed)).out()));

        assertThat(texts).hasSizeGreaterThan(1);
    }

    @Test
    void thePromptCanComeFromStandardInput() {
        assertThat(runWithInput(PROMPT + "\n", "-").outLines()).containsExactly(ENTRY);
    }

    @Test
    void saysTheSameAsJson() {
        JsonCursor json = run(PROMPT, "--json").json();

        assertThat(json.get("model").asString()).isEqualTo("lexicon-5m");
        assertThat(json.get("text").asString()).isEqualTo(" " + ENTRY);
        assertThat(json.get("end").asString()).isEqualTo("end_of_text");
        JsonCursor device = json.get("devices").at(0);
        assertThat(device.get("compute_bytes").asLong())
                .isPositive()
                .isEqualTo(device.get("compute_bytes_planned").asLong());
    }

    @Test
    void stopsAfterAsManyTokensAsAskedFor() {
        JsonCursor json = run(PROMPT, "-n", "2", "--json").json();

        assertThat(json.get("tokens").asLong()).isEqualTo(2);
        assertThat(json.get("end").asString()).isEqualTo("enough_tokens");
    }

    @Test
    void aFullContextEndsTheTextAndIsReported() {
        CommandRun run = run(PROMPT, "--ctx", "12");

        assertThat(run.exitCode()).isZero();
        assertThat(ENTRY).startsWith(run.out().strip());
        assertThat(run.err()).contains("the context of 12 tokens is full: --ctx makes it larger");
    }

    @Test
    void aPromptThatDoesNotFitIsReportedInOneLine() {
        CommandRun run = run(PROMPT, "--ctx", "3");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().startsWith("stowage: the context is full");
    }

    @Test
    void stopsAndFailsWhenNobodyReads() {
        StringWriter err = new StringWriter();
        StringBuilder written = new StringBuilder();
        Writer closing = new Writer() {
            @Override
            public void write(char[] text, int offset, int length) throws IOException {
                if (!written.isEmpty()) {
                    throw new IOException("Broken pipe");
                }
                written.append(text, offset, length);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };

        int exitCode = execute("", new PrintWriter(closing), new PrintWriter(err), PROMPT);

        assertThat(exitCode).isEqualTo(1);
        assertThat(ENTRY).startsWith(written).isNotEqualTo(written.toString());
        assertThat(err.toString().lines())
                .satisfiesExactly(
                        line -> assertThat(line).contains(" 2 written"),
                        line -> assertThat(line).startsWith("stowage: the output could not be written"));
    }

    @Test
    void profileShowsTimePerOpAndPerSplit() {
        CommandRun run = run(PROMPT, "-n", "2", "--profile");

        assertThat(run.err()).contains("time per op", "MUL_MAT q8_0", "time per split");
        assertThat(run.outLines()).containsExactly("a person");
    }

    @Test
    void traceIsAFileForTraceViewers() throws IOException {
        Path file = folder.resolve("trace.json");

        CommandRun run = run(PROMPT, "-n", "2", "--trace", file.toString());

        assertThat(run.errLines().getLast()).isEqualTo("Written: " + file);
        JsonCursor events = JsonReader.parse(Files.readString(file)).cursor().get("traceEvents");
        assertThat(events.at(0).get("ph").asString()).isNotEmpty();
    }

    @Test
    void aTraceThatCannotBeWrittenIsReportedBeforeAnythingRuns() {
        Path file = folder.resolve("missing").resolve("trace.json");

        CommandRun run = run(PROMPT, "--trace", file.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().contains("cannot write the trace to " + file);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void noPromptIsAMistakeOfTheCommandLine() {
        assertRefused("there is no prompt: give one in quotes, or talk with --chat");
        assertRefused("there is no prompt for x.gguf: give it one, or talk with --chat", "x.gguf");
    }

    @Test
    void aPromptWithoutQuotesIsExplained() {
        assertRefused("there is no model 'harbor,': put quotes around a prompt of several words", "harbor,", "n.");
        assertRefused("there are 3 arguments", "a", "b", "c");
    }

    @Test
    void whatDoesNotGoTogetherIsRefused() {
        assertRefused("--raw and --template exclude each other", PROMPT, "--raw", "--template", "chatml");
        assertRefused("there is no template 'nonsense'; there are chatml", PROMPT, "--template", "nonsense");
        assertRefused("--json is for a single text", "--chat", "--json");
        assertRefused("standard input", "-", "--chat");
        assertRefused("temperature", PROMPT, "--temp", "-1");
        assertRefused("there is no such device; there are:", PROMPT, "--device", "abacus");
        assertRefused("--device names 'reference' twice", PROMPT, "--device", "reference,reference");
    }

    private static void assertRefused(String why, String... args) {
        CommandRun run = run(args);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.errLines().getFirst()).startsWith("stowage: ").contains(why);
        assertThat(run.errLines().getLast()).isEqualTo("Try 'stowage run --help'.");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aFileThatIsNotAModelIsReportedInOneLine() throws IOException {
        Path file = Files.writeString(folder.resolve("text.gguf"), "just some text, and no model at all");

        CommandRun run = run(file.toString(), PROMPT);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().startsWith("stowage: " + file);
    }

    @Test
    void aModelThatIsNotThereIsReportedInOneLine() {
        CommandRun run = run(folder.resolve("missing.gguf").toString(), PROMPT);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).singleElement().asString().startsWith("stowage: no such file:");
    }

    @Test
    void aTemplateThatFailsWhenItIsRenderedNamesTheOptionsThatHelp() {
        Path file = LexiconFile.withTemplate("{{ raise_exception('roles must alternate') }}", folder);
        String advice = "stowage: chat template, line 1: the template refuses this conversation: roles must alternate;"
                + " --template selects another template, and --raw leaves the prompt as it is";

        CommandRun single = run(file.toString(), PROMPT);
        CommandRun conversation = run(file.toString(), "--chat", PROMPT);
        CommandRun raw = run(file.toString(), PROMPT, "--raw", "--temp", "0");

        assertThat(single.exitCode()).isEqualTo(1);
        assertThat(single.errLines()).containsExactly(advice);
        assertThat(conversation.exitCode()).isEqualTo(1);
        assertThat(conversation.errLines()).endsWith(advice);
        assertThat(raw.outLines()).containsExactly(ENTRY);
    }

    @Test
    void aConversationAnswersLineByLine() {
        CommandRun run = runWithInput(OTHER_PROMPT + "\n\n/clear\n" + PROMPT + "\n/exit\nnever said\n", "--chat");

        assertThat(run.exitCode()).isZero();
        assertThat(run.outLines()).containsExactly(OTHER_ENTRY, ENTRY);
        assertThat(run.errLines().getLast()).contains("tokens read", "memory:");
    }

    @Test
    void aConversationEndsWithItsInput() {
        CommandRun run = runWithInput("", "--chat", OTHER_PROMPT);

        assertThat(run.exitCode()).isZero();
        assertThat(run.outLines()).containsExactly(OTHER_ENTRY);
    }

    @Test
    void anUnknownWordForTheProgramIsAnsweredWithTheKnownOnes() {
        CommandRun run = runWithInput("/nonsense\n", "--chat");

        assertThat(run.err().lines().filter(line -> line.contains("/clear forgets")))
                .hasSize(2);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aConversationRemembersUntilTheContextIsFullAndGoesOnAfterClear() {
        CommandRun run = runWithInput(PROMPT + "\n" + PROMPT + "\n/clear\n" + PROMPT + "\n", "--chat", "--ctx", "24");

        assertThat(run.exitCode()).isZero();
        assertThat(run.outLines()).startsWith(ENTRY).endsWith(ENTRY);
        assertThat(run.err()).contains("/clear begins anew");
    }

    @Test
    void aPromptFromAPipeNeedsNoDash() {
        assertThat(runWithInput(PROMPT + "\n").outLines()).containsExactly(ENTRY);
    }

    @Test
    void aPromptOnTheCommandLineIsNotMixedWithThePipe() {
        assertThat(runWithInput(OTHER_PROMPT + "\n", PROMPT).outLines()).containsExactly(ENTRY);
    }

    @Test
    void optionsOfLlamaCppMeanWhatTheyMeanThere() throws IOException {
        Path prompt = Files.writeString(folder.resolve("prompt.txt"), PROMPT + "\n");
        String model = EmbeddedModel.file().toString();

        assertThat(run("-m", model, "-p", PROMPT, "--temp", "0").outLines()).containsExactly(ENTRY);
        assertThat(run("-m", model, "-f", prompt.toString(), "--temp", "0").outLines())
                .containsExactly(ENTRY);
        assertThat(run(PROMPT, "-ngl", "3", "-c", "64", "-t", "1", "-b", "8", "-ub", "4", "-fa", "on")
                        .outLines())
                .containsExactly(ENTRY);
        assertThat(run("-p", PROMPT, "-n", "-1", "--ctx-size", "0", "--batch-size", "16")
                        .outLines())
                .containsExactly(ENTRY);
        assertThat(run("-p", PROMPT, "--predict", "3").out())
                .isEqualTo(run(PROMPT, "-n", "3").out());
    }

    @Test
    void layersOnGraphicsProcessorsAreNotALimitOfTheOutput() {
        assertThat(run(PROMPT, "-ngl", "all").outLines()).containsExactly(ENTRY);
        assertRefused("'gl' is not a whole number", PROMPT, "-n", "gl");
    }

    @Test
    void aModelIsFoundWithoutItsSuffixAndByWhatItHolds() throws IOException {
        Path named = Files.copy(EmbeddedModel.file(), folder.resolve("lexicon.gguf"));
        Path blob = Files.copy(EmbeddedModel.file(), folder.resolve("sha256-0123"));

        assertThat(run(folder.resolve("lexicon").toString(), PROMPT, "--temp", "0")
                        .outLines())
                .containsExactly(ENTRY);
        assertThat(run("-m", folder.resolve("lexicon").toString(), PROMPT, "--temp", "0")
                        .outLines())
                .containsExactly(ENTRY);
        assertThat(run(blob.toString(), "-p", PROMPT, "--temp", "0").outLines()).containsExactly(ENTRY);
        assertThat(run(blob.toString()).err()).contains("there is no prompt for " + blob);
        assertThat(named).exists();
    }

    @Test
    void aPromptIsGivenOnce() {
        assertRefused("there are 2 arguments", PROMPT, OTHER_PROMPT, "-p", PROMPT);
        assertRefused("-p and -f exclude each other", "-p", PROMPT, "-f", "prompt.txt");
        assertRefused("-ngl and --layers-on exclude each other", PROMPT, "-ngl", "1", "--layers-on", "1");
    }
}
