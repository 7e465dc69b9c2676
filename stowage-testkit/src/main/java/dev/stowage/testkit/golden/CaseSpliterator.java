package dev.stowage.testkit.golden;

import dev.stowage.error.MalformedDataException;
import dev.stowage.error.StowageException;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonReader;
import dev.stowage.internal.json.JsonValue.JsonObject;
import dev.stowage.internal.json.JsonValue.JsonString;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes one case of each line that is not blank, and adds file and line to every error. */
final class CaseSpliterator<C> extends Spliterators.AbstractSpliterator<C> {

    private final String file;
    private final BufferedReader lines;
    private final Function<JsonCursor, C> reader;
    private int lineNumber;

    CaseSpliterator(String file, BufferedReader lines, Function<JsonCursor, C> reader) {
        super(Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.NONNULL);
        this.file = file;
        this.lines = lines;
        this.reader = reader;
    }

    @Override
    public boolean tryAdvance(Consumer<? super C> action) {
        String line = nextLine();
        while (line != null && line.isBlank()) {
            line = nextLine();
        }
        if (line == null) {
            return false;
        }
        action.accept(read(parse(line)));
        return true;
    }

    private @Nullable String nextLine() {
        try {
            String line = lines.readLine();
            lineNumber++;
            return line;
        } catch (IOException e) {
            throw new MalformedDataException(file + " cannot be read beyond line " + lineNumber + ": " + e, e);
        }
    }

    private JsonCursor parse(String line) {
        try {
            return JsonReader.parse(line, lineNumber).cursor();
        } catch (MalformedDataException e) {
            throw new MalformedDataException(file + ", " + e.getMessage(), e);
        }
    }

    private C read(JsonCursor document) {
        try {
            return reader.apply(document);
        } catch (StowageException e) {
            String message = file + ", line " + lineNumber + ", case " + caseName(document) + ": " + e.getMessage();
            throw new MalformedDataException(message, e);
        }
    }

    private static String caseName(JsonCursor document) {
        return document.value() instanceof JsonObject object
                        && object.members().get("case") instanceof JsonString(String name)
                ? name
                : "without a name";
    }
}
