package dev.stowage.cli.option;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;

/**
 * The model that runs when none is named: lexicon-5m, which writes dictionary entries. It is in the jar, and as a
 * model is mapped from a file, it is unpacked once into the user's cache. What is there is checked on every start, so that a
 * file that was cut short or changed is replaced; where the cache is not writable, a temporary copy is made that is deleted at exit.
 */
public final class EmbeddedModel {

    /** Its name in messages. */
    public static final String NAME = "lexicon-5m";

    private static final String RESOURCE = "lexicon-5m-Q8_0.gguf";

    private EmbeddedModel() {}

    /** The model as a file. */
    public static Path file() {
        URL packed = Objects.requireNonNull(EmbeddedModel.class.getResource(RESOURCE), RESOURCE);
        try {
            if (packed.getProtocol().equals("file")) {
                return Path.of(packed.toURI());
            }
            return unpacked(packed, cacheFolder());
        } catch (IOException e) {
            throw new UncheckedIOException(new IOException(
                    "the embedded model could not be unpacked: " + e.getMessage() + "; name a model of your own", e));
        } catch (URISyntaxException e) {
            throw new IllegalStateException(packed + " is not the URI of a file", e);
        }
    }

    /** The cache folder of the user, if there is a home folder. */
    private static Optional<Path> cacheFolder() {
        String chosen = System.getenv("XDG_CACHE_HOME");
        if (chosen != null && Path.of(chosen).isAbsolute()) {
            return Optional.of(Path.of(chosen, "stowage"));
        }
        String home = System.getProperty("user.home", "");
        return Path.of(home).isAbsolute() ? Optional.of(Path.of(home, ".cache", "stowage")) : Optional.empty();
    }

    /** The file in the cache, made if it is not there or not as it should be. */
    static Path unpacked(URL packed, Optional<Path> cache) throws IOException {
        JarURLConnection connection = (JarURLConnection) packed.openConnection();
        ZipEntry entry = connection.getJarEntry();
        if (cache.isPresent()) {
            // Models of two versions of the program do not replace each other.
            Path kept = cache.get().resolve(String.format(Locale.ROOT, "%08x-%s", entry.getCrc(), RESOURCE));
            if (isIntact(kept, entry)) {
                return kept;
            }
            try {
                Files.createDirectories(cache.get());
                return publish(connection, kept);
            } catch (IOException _) {
                // A home that cannot be written to, or is full, does not prevent a run.
            }
        }
        return passing(connection);
    }

    private static boolean isIntact(Path file, ZipEntry entry) {
        try (FileChannel channel = FileChannel.open(file)) {
            if (channel.size() != entry.getSize()) {
                return false;
            }
            CRC32 sum = new CRC32();
            sum.update(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
            return sum.getValue() == entry.getCrc();
        } catch (IOException _) {
            return false;
        }
    }

    /** Others that start at the same time see no file, or all of it. */
    private static Path publish(JarURLConnection packed, Path target) throws IOException {
        Path unfinished = Files.createTempFile(target.toAbsolutePath().getParent(), RESOURCE, ".part");
        try {
            copy(packed, unfinished);
            Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(unfinished);
        }
        return target;
    }

    /** A copy that is private to this process, in the folder for temporary files. */
    private static Path passing(JarURLConnection packed) throws IOException {
        Path file = Files.createTempFile("stowage-", "-" + RESOURCE);
        file.toFile().deleteOnExit();
        copy(packed, file);
        return file;
    }

    private static void copy(JarURLConnection packed, Path target) throws IOException {
        try (InputStream in = packed.getURL().openStream()) {
            Files.copy(in, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
