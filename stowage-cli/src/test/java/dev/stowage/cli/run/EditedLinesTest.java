package dev.stowage.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jline.terminal.impl.DumbTerminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is typed can be edited and is remembered. */
class EditedLinesTest {

    private static final String LEFT = "\u001b[D";
    private static final String UP = "\u001b[A";
    private static final String END_OF_INPUT = "\u0004";

    @TempDir
    private Path folder;

    private Path history() {
        return folder.resolve("history");
    }

    private List<String> typed(String keys) throws IOException {
        List<String> lines = new ArrayList<>();
        ByteArrayInputStream in = new ByteArrayInputStream(keys.getBytes(StandardCharsets.UTF_8));
        try (ChatLines typed = new EditedLines(
                new DumbTerminal("test", "ansi", in, new ByteArrayOutputStream(), StandardCharsets.UTF_8), history())) {
            for (Optional<String> line = typed.next(); line.isPresent(); line = typed.next()) {
                lines.add(line.get());
            }
        }
        return lines;
    }

    @Test
    void aLetterIsInsertedWhereTheCursorIs() throws IOException {
        assertThat(typed("helo" + LEFT + "l\r" + END_OF_INPUT)).containsExactly("hello");
    }

    @Test
    void linesBeforeAreRecalled() throws IOException {
        assertThat(typed("first\rsecond\r" + UP + UP + "!\r" + END_OF_INPUT))
                .containsExactly("first", "second", "first!");
    }

    @Test
    void theHistoryOutlivesTheConversation() throws IOException {
        typed("remember me\r" + END_OF_INPUT);

        assertThat(Files.readString(history())).contains("remember me");
        assertThat(typed(UP + "\r" + END_OF_INPUT)).containsExactly("remember me");
    }

    @Test
    void quotesAndExclamationMarksMeanNothing() throws IOException {
        assertThat(typed("don't \"stop\\ now!!\r" + END_OF_INPUT)).containsExactly("don't \"stop\\ now!!");
    }
}
