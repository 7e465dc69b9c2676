package dev.stowage.cli.option;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * A model as the command line names it: the path of a GGUF file, which may lack its suffix, or be called anything where the file
 * begins as such files do.
 */
public final class ModelFile {
    private static final String SUFFIX = ".gguf";
    private static final byte[] MAGIC = "GGUF".getBytes(StandardCharsets.US_ASCII);

    private ModelFile() {}

    /** The file that is meant; empty for what is neither the name of one nor of a file that exists with the suffix added. */
    public static Optional<Path> find(String name) {
        try {
            Path path = Path.of(name);
            if (GgufFileName.matches(name) || isModel(path)) {
                return Optional.of(path);
            }
            Path suffixed = Path.of(name + SUFFIX);
            return Files.isRegularFile(suffixed) ? Optional.of(suffixed) : Optional.empty();
        } catch (InvalidPathException _) {
            return Optional.empty();
        }
    }

    /** The file that is meant by what can only be a file: {@link #find}, else the path as it is. */
    public static Path of(String name) {
        return find(name).orElseGet(() -> Path.of(name));
    }

    private static boolean isModel(Path file) {
        if (!Files.isRegularFile(file)) {
            return false;
        }
        try (InputStream in = Files.newInputStream(file)) {
            return Arrays.equals(in.readNBytes(MAGIC.length), MAGIC);
        } catch (IOException _) {
            return false;
        }
    }
}
