package dev.stowage.profile;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A file that is there as a whole or not at all: it is written beside its place and moved there once it is complete. A
 * device or pipe cannot be replaced by a file, and is written to as it is.
 */
final class TraceFile {

    private TraceFile() {}

    static void write(Path file, Consumer<Writer> content) throws IOException {
        try {
            if (Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file)) {
                fill(file, content);
            } else {
                replace(file, content);
            }
        } catch (UncheckedIOException e) {
            throw failure(file, Objects.requireNonNull(e.getCause()));
        } catch (IOException e) {
            throw failure(file, e);
        }
    }

    private static void replace(Path file, Consumer<Writer> content) throws IOException {
        if (Files.isDirectory(file)) {
            throw new IOException("it is a directory");
        }
        // A link stays, and what it points to is replaced.
        Path target = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
        Path unfinished = target.resolveSibling(
                target.getFileName() + "." + ProcessHandle.current().pid() + ".part");
        try {
            fill(unfinished, content);
            move(unfinished, target);
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    private static void fill(Path file, Consumer<Writer> content) throws IOException {
        try (BufferedWriter writer = Files.newBufferedWriter(file)) {
            content.accept(writer);
        }
    }

    private static void move(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException _) {
            Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static IOException failure(Path file, IOException e) {
        return new IOException("cannot write the trace to " + file + ": " + reason(e), e);
    }

    /** The message of many of these is the name of a file and nothing else. */
    private static String reason(IOException e) {
        return switch (e) {
            case AccessDeniedException _ -> "access denied";
            case NoSuchFileException _ -> "there is no such directory";
            default -> e.getMessage() == null ? e.toString() : e.getMessage();
        };
    }
}
