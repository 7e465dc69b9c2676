package dev.stowage.cli.text;

import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The standard input of the command: what is typed, or what a pipe or a file brings. */
public final class StandardInput {
    private static final Path DESCRIPTOR = Path.of("/proc/self/fd/0");

    private final Supplier<InputStream> stream;
    private final BooleanSupplier piped;

    /**
     * @param stream the bytes
     * @param piped whether they come from a pipe or a file
     */
    public StandardInput(Supplier<InputStream> stream, BooleanSupplier piped) {
        this.stream = stream;
        this.piped = piped;
    }

    /** That of this process. */
    public static StandardInput ofProcess() {
        return new StandardInput(() -> System.in, StandardInput::isProcessPiped);
    }

    /** Java can detect whether input and output are a terminal together, but not whether the input alone is one. */
    private static boolean isProcessPiped() {
        try {
            String target = Files.readSymbolicLink(DESCRIPTOR).toString();
            return target.startsWith("pipe:") || (!target.startsWith("/dev/") && Files.isRegularFile(Path.of(target)));
        } catch (IOException | UnsupportedOperationException _) {
            return Optional.ofNullable(System.console())
                    .filter(Console::isTerminal)
                    .isEmpty();
        }
    }

    /** Whether something comes without anybody typing: from a pipe or a file. */
    public boolean isPiped() {
        return piped.getAsBoolean();
    }

    /** A reader of lines. */
    public BufferedReader reader() {
        Charset charset = Charset.forName(System.getProperty("stdin.encoding", "UTF-8"));
        return new BufferedReader(new InputStreamReader(stream.get(), charset));
    }

    /** All there is until the end. */
    public String readAll() {
        try (BufferedReader in = reader()) {
            return in.readAllAsString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
