package dev.stowage.cli.text;

import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/** How many characters a line of the terminal has, where the output is one. */
final class TerminalWidth {

    private static final long PATIENCE_MILLIS = 500;

    private TerminalWidth() {}

    /** The width now; empty where the output is not a terminal, or one of unknown width. */
    static OptionalInt now() {
        boolean terminal = Optional.ofNullable(System.console())
                .filter(Console::isTerminal)
                .isPresent();
        return terminal ? reported() : OptionalInt.empty();
    }

    /** What {@code stty} says: Java does not know. */
    private static OptionalInt reported() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!stty.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                stty.destroy();
                return OptionalInt.empty();
            }
            String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            int columns = Integer.parseInt(size.substring(size.indexOf(' ') + 1));
            return columns > 0 ? OptionalInt.of(columns) : OptionalInt.empty();
        } catch (IOException | NumberFormatException _) {
            return OptionalInt.empty();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return OptionalInt.empty();
        }
    }
}
