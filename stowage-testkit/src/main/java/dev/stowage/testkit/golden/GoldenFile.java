package dev.stowage.testkit.golden;

import dev.stowage.error.MalformedDataException;
import dev.stowage.internal.json.JsonCursor;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import java.util.zip.GZIPInputStream;

/**
 * A file that records what ggml did: one case per line, each a JSON document, plain or compressed with gzip. Cases are
 * read one at a time while a stream is consumed; opening a stream again begins at the first case.
 *
 * <p>Whatever is wrong with a file is a {@link MalformedDataException} that names the file, the line, the case and the
 * path within it.
 */
public final class GoldenFile {

    private static final int GZIP_MAGIC_0 = 0x1f;
    private static final int GZIP_MAGIC_1 = 0x8b;

    private final String name;
    private final Source source;

    private interface Source {
        InputStream open() throws IOException;
    }

    private GoldenFile(String name, Source source) {
        this.name = name;
        this.source = source;
    }

    /** A file in the file system. */
    public static GoldenFile of(Path path) {
        return new GoldenFile(path.toString(), () -> Files.newInputStream(path));
    }

    /** A resource beside a class, or from the root of its module where the name begins with a slash. */
    public static GoldenFile resource(Class<?> owner, String name) {
        return new GoldenFile(name, () -> {
            InputStream stream = owner.getResourceAsStream(name);
            if (stream == null) {
                throw new FileNotFoundException("there is no resource " + name + " beside " + owner.getName());
            }
            return stream;
        });
    }

    /** The name that messages use. */
    public String name() {
        return name;
    }

    /** The cases of the graph allocator, in the order of the file. The stream holds the file open until it is closed. */
    public Stream<AllocCase> allocCases() {
        return cases(AllocCase::read);
    }

    /** The cases of the scheduler, in the order of the file. The stream holds the file open until it is closed. */
    public Stream<SchedCase> schedCases() {
        return cases(SchedCase::read);
    }

    <C> Stream<C> cases(Function<JsonCursor, C> reader) {
        BufferedReader lines = open();
        return StreamSupport.stream(new CaseSpliterator<>(name, lines, reader), false)
                .onClose(() -> {
                    try {
                        lines.close();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }

    private BufferedReader open() {
        try {
            InputStream bytes = new BufferedInputStream(source.open());
            try {
                InputStream plain = isGzip(bytes) ? new GZIPInputStream(bytes) : bytes;
                return new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8.newDecoder()));
            } catch (IOException e) {
                bytes.close();
                throw e;
            }
        } catch (IOException e) {
            throw new MalformedDataException(name + " cannot be read: " + e, e);
        }
    }

    private static boolean isGzip(InputStream bytes) throws IOException {
        bytes.mark(2);
        boolean magic = bytes.read() == GZIP_MAGIC_0 && bytes.read() == GZIP_MAGIC_1;
        bytes.reset();
        return magic;
    }
}
