package dev.stowage.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Objects;
import java.util.function.Supplier;
import org.assertj.core.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** What holds for the command line as a whole, whatever the subcommand. */
class StowageCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final CommandLine commandLine =
            StowageCommand.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));

    @Command(name = "fail")
    private record Fail(Supplier<? extends Throwable> failure) implements Runnable {
        @Override
        public void run() {
            switch (failure.get()) {
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new AssertionError(e);
            }
        }
    }

    private int run(String... args) {
        return StowageCommand.execute(commandLine, args);
    }

    private int runFailing(Supplier<? extends Throwable> failure, String... args) {
        // A late subcommand does not get its parent's settings, unless they are set once more.
        commandLine
                .addSubcommand(new Fail(failure))
                .setExecutionExceptionHandler(commandLine.getExecutionExceptionHandler())
                .setErr(commandLine.getErr());
        return run(args);
    }

    @Test
    void helpGoesToStandardOutput() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).startsWith("Usage: stowage ").contains("completion", "Exit codes:");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void versionIsTheOneOfTheBuild() {
        assertThat(run("--version")).isZero();
        assertThat(out.toString()).matches("(?s)stowage \\d+\\.\\d+\\.\\d+\\S*\\RJava \\d+.*");
    }

    @Test
    void everySubcommandHasHelp() {
        assertThat(run("completion", "--help")).isZero();
        assertThat(out.toString()).startsWith("Usage: stowage completion ").contains("bash and zsh");
    }

    private static String usageOf(CommandLine commandLine, String subcommand) {
        return Objects.requireNonNull(commandLine.getSubcommands().get(subcommand), subcommand)
                .getUsageMessage();
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "plan", "conformance"})
    void aSubcommandThatIsMadeReadyAloneIsTheSame(String name) {
        String among = usageOf(commandLine, name);
        CommandLine alone = StowageCommand.commandLine(name, "anything");

        assertThat(alone.getSubcommands()).containsOnlyKeys(name);
        assertThat(usageOf(alone, name)).isEqualTo(among);
    }

    @Test
    void whatWritesAboutAllSubcommandsSeesThemAll() {
        assertThat(StowageCommand.commandLine("completion").getSubcommands()).containsKeys("run", "plan");
    }

    @Test
    void completionIsAScriptForThisCommand() {
        assertThat(run("completion")).isZero();
        assertThat(out.toString()).startsWith("#!").contains("_picocli_stowage()", "--verbose");
    }

    @Test
    void noCommandIsAUsageError() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString().lines()).containsExactly("stowage: no command given", "Try 'stowage --help'.");
    }

    @Test
    void anUnknownOptionIsAUsageErrorThatPointsToTheHelpOfItsCommand() {
        assertThat(run("completion", "--nonsense")).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("stowage: unknown option '--nonsense'")
                .contains("Try 'stowage completion --help'.");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void anUnknownOptionIsNamedBeforeWhatItsValueWasTakenFor() {
        assertThat(run("plan", "--ctz", "5", "llama-3-8b")).isEqualTo(2);
        assertThat(err.toString()).startsWith("stowage: unknown option '--ctz'; did you mean '--ctx'");
    }

    @Test
    void whatIsOnlyALittleLikeAnUnknownCommandIsNotMeant() {
        assertThat(run("pln", "model.gguf")).isEqualTo(2);
        assertThat(err.toString().lines()).startsWith("stowage: unknown command 'pln'; did you mean 'plan'?");
    }

    @Test
    void aUsageErrorIsInColourOnATerminalAsOtherFailuresAre() {
        Assumptions.assumeThat(System.getenv("NO_COLOR")).isNull();
        System.setProperty("stowage.terminal", "true");
        try {
            assertThat(run("pln")).isEqualTo(2);
            assertThat(err.toString()).startsWith("\u001b[").contains("unknown command 'pln'");
        } finally {
            System.clearProperty("stowage.terminal");
        }
    }

    @Test
    void anUnknownCommandIsAnsweredWithOneThatIsLikeIt() {
        assertThat(run("pakc", "buffers.csv")).isEqualTo(2);
        assertThat(err.toString()).startsWith("stowage: unknown command 'pakc'; did you mean 'pack'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "run hi -n x | option '-n': 'x' is not a whole number",
                "run hi -c -1 | option '-c': '-1' is not a whole number",
                "run hi --ctx=x | option '--ctx': 'x' is not a whole number",
                "run hi --seed x | option '--seed': 'x' is not a whole number",
                "run hi --temp x | option '--temp': 'x' is not a number",
                "serve --port x | option '--port': 'x' is not a whole number"
            })
    void aWrongValueIsReportedWithTheNameThatWasTyped(String line, String message) {
        assertThat(run(line.split(" "))).isEqualTo(2);
        assertThat(err.toString()).startsWith("stowage: Invalid value for " + message);
    }

    @Test
    void helpOfACommandIsThatOfItsOption() {
        assertThat(run("help", "plan")).isZero();
        assertThat(out.toString()).startsWith("Usage: stowage plan ");
        assertThat(StowageCommand.commandLine("help", "run").getSubcommands()).containsKeys("run", "plan");
    }

    @Test
    void aFailedJobIsReportedInOneLine() {
        assertThat(runFailing(() -> new IllegalStateException("two\n  lines"), "fail"))
                .isEqualTo(1);
        assertThat(err.toString().lines()).containsExactly("stowage: two lines");
    }

    @Test
    void aFailureWithoutMessageIsReportedByItsType() {
        assertThat(runFailing(IllegalStateException::new, "fail")).isEqualTo(1);
        assertThat(err.toString().lines()).containsExactly("stowage: IllegalStateException");
    }

    @Test
    void aMissingFileIsSaidToBeMissing() {
        assertThat(runFailing(() -> new UncheckedIOException(new NoSuchFileException("a.graph")), "fail"))
                .isEqualTo(1);
        assertThat(err.toString().lines()).containsExactly("stowage: no such file: a.graph");
    }

    @Test
    void runningOutOfMemoryIsAFailedJob() {
        assertThat(runFailing(() -> new OutOfMemoryError("Java heap space"), "fail"))
                .isEqualTo(1);
        assertThat(err.toString().lines()).containsExactly("stowage: out of memory: Java heap space");
    }

    @Test
    void outputThatIsLostIsAFailure() {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int octet) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        commandLine.setOut(new PrintWriter(full, true, StandardCharsets.UTF_8));

        assertThat(run("plan", "--list")).isEqualTo(1);
        assertThat(err.toString()).startsWith("stowage: the output could not be written: the disk is full");
    }

    @Test
    void verboseAddsTheStackTraceBeforeOrAfterTheCommand() {
        assertThat(runFailing(() -> new IllegalStateException("boom"), "fail", "--verbose"))
                .isEqualTo(1);
        assertThat(err.toString())
                .startsWith("stowage: boom")
                .contains("java.lang.IllegalStateException: boom", "\tat ");

        err.getBuffer().setLength(0);
        assertThat(run("--verbose", "fail")).isEqualTo(1);
        assertThat(err.toString()).contains("\tat ");
    }
}
