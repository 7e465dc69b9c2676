package dev.stowage.cli.run;

import java.io.Console;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.DefaultParser;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/**
 * Lines that are typed on a terminal, with the usual keys to edit them and a history that is kept from one conversation to
 * the next. Ctrl-C is not handled here: it reaches the program as it does everywhere else.
 */
final class EditedLines implements ChatLines {

    private static final int LONGEST_HISTORY = 1000;

    private final Terminal terminal;
    private final LineReader reader;

    /**
     * @param history the file that keeps what was typed
     */
    EditedLines(Terminal terminal, Path history) {
        this.terminal = terminal;
        // Quotes and backslashes mean nothing in what is said to a model.
        DefaultParser words = new DefaultParser();
        words.setQuoteChars(new char[0]);
        words.setEscapeChars(new char[0]);
        this.reader = LineReaderBuilder.builder()
                .terminal(terminal)
                .parser(words)
                .variable(LineReader.HISTORY_FILE, history)
                .variable(LineReader.HISTORY_SIZE, LONGEST_HISTORY)
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                .option(LineReader.Option.HISTORY_IGNORE_SPACE, true)
                .build();
    }

    /** Those of the terminal of this process, if both its input and its output are one that can be controlled. */
    static Optional<ChatLines> ofProcess() {
        if (Optional.ofNullable(System.console()).filter(Console::isTerminal).isEmpty()) {
            return Optional.empty();
        }
        try {
            Path history = historyFile();
            Files.createDirectories(history.toAbsolutePath().getParent());
            Terminal terminal = TerminalBuilder.builder()
                    .system(true)
                    .provider("exec")
                    .nativeSignals(false)
                    .dumb(false)
                    .build();
            return Optional.of(new EditedLines(terminal, history));
        } catch (IOException | IllegalStateException _) {
            // A terminal without such control still has lines.
            return Optional.empty();
        }
    }

    /** In the folder for what programs remember, by the rules of the XDG base directories. */
    private static Path historyFile() {
        String folder = System.getenv("XDG_STATE_HOME");
        Path state = folder == null || folder.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".local", "state")
                : Path.of(folder);
        return state.resolve("stowage").resolve("chat-history");
    }

    @Override
    public Optional<String> next() {
        while (true) {
            try {
                return Optional.of(reader.readLine(MARKER));
            } catch (EndOfFileException _) {
                return Optional.empty();
            } catch (UserInterruptException _) {
                // The line is given up, and the conversation goes on.
            }
        }
    }

    @Override
    public void remark(String text) {
        reader.printAbove(text);
    }

    @Override
    public void close() {
        try {
            reader.getHistory().save();
            terminal.close();
        } catch (IOException e) {
            throw new UncheckedIOException(new IOException("the history cannot be kept: " + e.getMessage(), e));
        }
    }
}
