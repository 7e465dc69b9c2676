package dev.stowage.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** The version, from a resource that the build writes, so that it is defined only in the pom. */
final class VersionProvider implements IVersionProvider {
    @Override
    public String[] getVersion() {
        try (InputStream file =
                Objects.requireNonNull(VersionProvider.class.getResourceAsStream("version.txt"), "version.txt")) {
            String version = new String(file.readAllBytes(), StandardCharsets.UTF_8).strip();
            return new String[] {"stowage " + version, "Java " + Runtime.version()};
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
