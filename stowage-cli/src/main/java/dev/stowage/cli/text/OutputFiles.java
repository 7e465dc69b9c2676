package dev.stowage.cli.text;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Files that a command writes, all or none: each is written to a temporary file in the same directory, and they
 * are moved only once all are complete. What was there before stays if anything fails, and no unfinished file
 * remains. A device or pipe cannot be replaced by a file, and is written to as it is.
 */
public final class OutputFiles implements AutoCloseable {

    private record Staged(Path unfinished, Path target, Path named, String what) {}

    private record Direct(String content, Path target, String what) {}

    private final List<Staged> staged = new ArrayList<>();
    private final List<Direct> direct = new ArrayList<>();

    /** Writes one file. */
    public static void write(String content, Path file, String what) {
        try (OutputFiles files = new OutputFiles()) {
            files.add(content, file, what);
            files.publish();
        }
    }

    /**
     * Finds out, as far as that is possible without writing, whether a file can be written, so that a
     * long job does not fail at its end.
     *
     * @param what what the file will hold, for the message
     */
    public static void requireWritable(Path file, String what) {
        Path folder = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file)) {
            throw failure(file, what, new IOException("it is a directory"));
        }
        if (folder == null || !Files.isDirectory(folder)) {
            throw failure(file, what, new IOException("there is no directory " + folder));
        }
        if (!Files.isWritable(isDevice(file) ? file : folder)) {
            throw failure(file, what, new IOException("access denied"));
        }
    }

    /** Writes a temporary file in the directory of the target. */
    public void add(String content, Path file, String what) {
        requireWritable(file, what);
        if (isDevice(file)) {
            direct.add(new Direct(content, file, what));
            return;
        }
        try {
            // A link stays, and what it points to is replaced.
            Path target = Files.exists(file) ? file.toRealPath() : file;
            Path unfinished = target.resolveSibling(
                    target.getFileName() + "." + ProcessHandle.current().pid() + ".part");
            deleteAbandoned(target);
            staged.add(new Staged(unfinished, target, file, what));
            Files.writeString(unfinished, content);
        } catch (IOException e) {
            throw failure(file, what, e);
        }
    }

    /** Deletes what processes have left beside a file that were killed while they wrote it. */
    public static void deleteAbandoned(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        Pattern unfinished = Pattern.compile(Pattern.quote(file.getFileName() + ".") + "(\\d{1,18})(-\\d+)?\\.part");
        if (folder == null) {
            return;
        }
        try (DirectoryStream<Path> others = Files.newDirectoryStream(folder)) {
            for (Path other : others) {
                Matcher name = unfinished.matcher(other.getFileName().toString());
                if (name.matches()
                        && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
                    Files.deleteIfExists(other);
                }
            }
        } catch (IOException | DirectoryIteratorException _) {
            // What is written next does not depend on it.
        }
    }

    private static boolean isDevice(Path file) {
        return Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file);
    }

    /** Moves all files to their targets. */
    public void publish() {
        for (Staged file : staged) {
            try {
                move(file.unfinished, file.target);
            } catch (IOException e) {
                throw failure(file.named, file.what, e);
            }
        }
        for (Direct file : direct) {
            try {
                Files.writeString(file.target, file.content);
            } catch (IOException e) {
                throw failure(file.target, file.what, e);
            }
        }
    }

    private static void move(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException _) {
            Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static UncheckedIOException failure(Path file, String what, IOException e) {
        return new UncheckedIOException(
                new IOException("cannot write " + what + " to " + file + ": " + e.getMessage(), e));
    }

    /** Deletes the temporary files that were not moved. */
    @Override
    public void close() {
        for (Staged file : staged) {
            try {
                Files.deleteIfExists(file.unfinished);
            } catch (IOException _) {
                // The failure that led here says more than this one.
            }
        }
    }
}
