package dev.stowage.bench.ggml;

import dev.stowage.error.MalformedDataException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where ggml's shared libraries are: the folder named by the system property {@value #FOLDER_PROPERTY}, else one in
 * this module's build folder, which is filled from a published package if {@value #FETCH_PROPERTY} is {@code true}.
 */
public final class GgmlFolder {

    /** Names a folder with {@code libggml-base.so} and the {@code libggml-cpu-*.so} that belong to it. */
    public static final String FOLDER_PROPERTY = "stowage.ggml";

    /** Whether the libraries may be downloaded where they are missing. */
    public static final String FETCH_PROPERTY = "stowage.ggml.fetch";

    /** Which of the CPU backends to take, such as {@code x64} or {@code haswell}; the best one where it is not set. */
    public static final String CPU_PROPERTY = "stowage.ggml.cpu";

    public static final List<String> PROPERTIES = List.of(FOLDER_PROPERTY, FETCH_PROPERTY, CPU_PROPERTY);

    static final String BASE_LIBRARY = "libggml-base.so";

    private static final String PACKAGE = "@node-llama-cpp/linux-x64@3.22.1";
    private static final String ARCHIVE = "node-llama-cpp-linux-x64-3.22.1.tgz";
    private static final String FOLDER_IN_PACKAGE = "package/bins/linux-x64";
    private static final String PACKAGE_SIZE = "11 MB, 40 MB unpacked";

    private GgmlFolder() {}

    /**
     * The folder to load ggml from.
     *
     * @throws MalformedDataException if it is not there; the message says what to do
     */
    public static Path find() {
        String named = System.getProperty(FOLDER_PROPERTY);
        if (named != null) {
            return requireLibraries(Path.of(named), "-D" + FOLDER_PROPERTY + " has to name the folder that holds it");
        }
        if (Boolean.getBoolean(FETCH_PROPERTY)) {
            return fetch();
        }
        return requireLibraries(
                cachedLibraries(),
                "name a folder that has it with -D" + FOLDER_PROPERTY + "=..., or have it downloaded with -D"
                        + FETCH_PROPERTY + "=true (needs npm, tar and 64-bit Linux on x86)");
    }

    /** The folder to load ggml from, if there is one now: that of the system property, or what was fetched before. */
    public static Optional<Path> present() {
        String named = System.getProperty(FOLDER_PROPERTY);
        return Optional.of(named == null ? cachedLibraries() : Path.of(named))
                .filter(GgmlFolder::hasLibraries)
                .map(Path::toAbsolutePath);
    }

    /**
     * The folder of that name.
     *
     * @throws MalformedDataException if ggml is not there
     */
    public static Path named(Path folder) {
        return requireLibraries(folder, "name the folder that holds it");
    }

    /**
     * The folder in this module's build folder, filled from the published package where it is not yet.
     *
     * @throws MalformedDataException if that fails
     */
    public static Path fetch() {
        Path cache = cache();
        if (!hasLibraries(cachedLibraries())) {
            fetch(cache);
        }
        return requireLibraries(cachedLibraries(), "the package " + PACKAGE + " does not have it");
    }

    /** What {@link #fetch()} would download, from where, and where to. */
    public static String fetchDescription() {
        return "npm package " + PACKAGE + " (" + PACKAGE_SIZE + ") into " + cache();
    }

    private static Path cache() {
        return buildFolder().resolve("ggml");
    }

    private static Path cachedLibraries() {
        return cache().resolve(FOLDER_IN_PACKAGE);
    }

    private static boolean hasLibraries(Path folder) {
        return Files.isRegularFile(folder.resolve(BASE_LIBRARY));
    }

    private static Path requireLibraries(Path folder, String advice) {
        if (!hasLibraries(folder)) {
            throw new MalformedDataException("there is no " + BASE_LIBRARY + " in " + folder + ": " + advice);
        }
        return folder.toAbsolutePath();
    }

    /** The folder into which this module is built: the classes, or the archive with them, are directly in it. */
    private static Path buildFolder() {
        try {
            Path classes = Path.of(GgmlFolder.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            Path parent = classes.toAbsolutePath().getParent();
            return parent == null ? classes : parent;
        } catch (URISyntaxException e) {
            throw new MalformedDataException("the place this program was loaded from is not a file: " + e, e);
        }
    }

    private static void fetch(Path cache) {
        try {
            Files.createDirectories(cache);
            run(cache, "npm", "pack", "--silent", PACKAGE);
            run(cache, "tar", "-xzf", ARCHIVE, FOLDER_IN_PACKAGE);
            Files.deleteIfExists(cache.resolve(ARCHIVE));
        } catch (IOException e) {
            throw new MalformedDataException("ggml could not be downloaded into " + cache + ": " + e, e);
        }
    }

    private static void run(Path folder, String... command) throws IOException {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            int status = process.waitFor();
            if (status != 0) {
                throw new IOException(String.join(" ", List.of(command)) + " ended with status " + status);
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for " + command[0], e);
        }
    }
}
