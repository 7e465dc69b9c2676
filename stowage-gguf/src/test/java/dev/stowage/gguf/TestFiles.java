package dev.stowage.gguf;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.Objects;

/** Files that tests read, wherever the build has put them. */
public final class TestFiles {

    private TestFiles() {}

    /** A real model of five million parameters in f16. */
    public static Path lexicon() {
        return resource("lexicon-5m-f16.gguf");
    }

    /** A file among the resources. */
    public static Path resource(String name) {
        URL found = Objects.requireNonNull(TestFiles.class.getResource("/" + name), name);
        try {
            return Path.of(new URI(found.toString()));
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
