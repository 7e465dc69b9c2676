package dev.stowage.internal.json;

import dev.stowage.error.MalformedDataException;
import dev.stowage.internal.json.JsonValue.JsonArray;
import dev.stowage.internal.json.JsonValue.JsonBoolean;
import dev.stowage.internal.json.JsonValue.JsonDouble;
import dev.stowage.internal.json.JsonValue.JsonLong;
import dev.stowage.internal.json.JsonValue.JsonNull;
import dev.stowage.internal.json.JsonValue.JsonObject;
import dev.stowage.internal.json.JsonValue.JsonString;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.BitSet;

/**
 * Writes one JSON document piece by piece, on one line or indented by two spaces. Whatever it writes,
 * {@link JsonReader} reads back as the same values; a call that would make something else is refused and writes
 * nothing. What the target throws is passed on as an {@link UncheckedIOException}.
 *
 * <p>{@snippet :
 * StringBuilder text = new StringBuilder();
 * JsonWriter.compact(text).beginObject().name("bytes").value(4096).endObject().finish();
 * }
 */
public final class JsonWriter {

    private final Appendable target;
    private final boolean indented;

    /** For each open object or array, outermost first: whether it is an object. */
    private final BitSet objects = new BitSet();

    private int depth;
    private boolean empty = true;
    private boolean named;

    private JsonWriter(Appendable target, boolean indented) {
        this.target = target;
        this.indented = indented;
    }

    /** A writer that puts everything on one line. */
    public static JsonWriter compact(Appendable target) {
        return new JsonWriter(target, false);
    }

    /** A writer that puts each element on a line of its own. */
    public static JsonWriter indented(Appendable target) {
        return new JsonWriter(target, true);
    }

    /** The text of a value, on one line. */
    public static String compact(JsonValue value) {
        StringBuilder text = new StringBuilder();
        compact(text).value(value).finish();
        return text.toString();
    }

    /** The text of a value, each element on a line of its own. */
    public static String indented(JsonValue value) {
        StringBuilder text = new StringBuilder();
        indented(text).value(value).finish();
        return text.toString();
    }

    public JsonWriter beginObject() {
        return begin(true);
    }

    public JsonWriter endObject() {
        return end(true);
    }

    public JsonWriter beginArray() {
        return begin(false);
    }

    public JsonWriter endArray() {
        return end(false);
    }

    private JsonWriter begin(boolean object) {
        if (depth == JsonReader.MAX_DEPTH) {
            throw new MalformedDataException(
                    "objects and arrays may be nested at most " + JsonReader.MAX_DEPTH + " deep");
        }
        beforeValue();
        put(object ? "{" : "[");
        objects.set(depth++, object);
        empty = true;
        return this;
    }

    private JsonWriter end(boolean object) {
        if (depth == 0 || objects.get(depth - 1) != object || named) {
            throw misplaced(object ? "the end of an object" : "the end of an array");
        }
        depth--;
        if (!empty) {
            newLine();
        }
        put(object ? "}" : "]");
        empty = false;
        return this;
    }

    /** The name of the member whose value comes next. */
    public JsonWriter name(String name) {
        if (!inObject() || named) {
            throw misplaced("the name " + JsonText.quoted(name));
        }
        String literal = JsonStrings.literal(name);
        separate();
        put(literal);
        put(indented ? ": " : ":");
        named = true;
        return this;
    }

    public JsonWriter value(String value) {
        return scalar(JsonStrings.literal(value));
    }

    public JsonWriter value(long value) {
        return scalar(Long.toString(value));
    }

    /**
     * The shortest digits from which this same double is read back.
     *
     * @throws MalformedDataException if the number is infinite or none
     */
    public JsonWriter value(double value) {
        if (!Double.isFinite(value)) {
            throw new MalformedDataException("JSON has no way to write the number " + value);
        }
        return scalar(Double.toString(value));
    }

    /** A number with that many decimal places, never with an exponent: {@code decimal(1250, 3)} is 1.250. */
    public JsonWriter decimal(long unscaled, int digits) {
        return scalar(BigDecimal.valueOf(unscaled, digits).toPlainString());
    }

    public JsonWriter value(boolean value) {
        return scalar(Boolean.toString(value));
    }

    public JsonWriter nullValue() {
        return scalar("null");
    }

    /** A value with everything in it; if some part of it is refused, what came before that part is written. */
    public JsonWriter value(JsonValue value) {
        return switch (value) {
            case JsonObject object -> {
                beginObject();
                object.members().forEach((name, member) -> name(name).value(member));
                yield endObject();
            }
            case JsonArray array -> {
                beginArray();
                array.elements().forEach(this::value);
                yield endArray();
            }
            case JsonString(String string) -> value(string);
            case JsonLong(long number) -> value(number);
            case JsonDouble(double number) -> value(number);
            case JsonBoolean(boolean truth) -> value(truth);
            case JsonNull _ -> nullValue();
        };
    }

    /**
     * Ends the document.
     *
     * @throws MalformedDataException if it is not
     */
    public void finish() {
        if (depth > 0 || empty) {
            throw misplaced("the end of the document");
        }
    }

    private JsonWriter scalar(String literal) {
        beforeValue();
        put(literal);
        empty = false;
        return this;
    }

    private void beforeValue() {
        if (depth == 0 ? !empty : inObject() && !named) {
            throw misplaced("a value");
        }
        if (depth > 0 && !named) {
            separate();
        }
        named = false;
    }

    private void separate() {
        if (!empty) {
            put(",");
        }
        newLine();
        empty = false;
    }

    private void newLine() {
        if (indented) {
            put("\n");
            put("  ".repeat(depth));
        }
    }

    private boolean inObject() {
        return depth > 0 && objects.get(depth - 1);
    }

    private MalformedDataException misplaced(String what) {
        String place;
        if (depth == 0) {
            place = empty ? "before the document's value" : "after the document's end";
        } else if (inObject()) {
            place = named ? "after the name of a member" : "in an object, where a name or its end is expected";
        } else {
            place = "in an array";
        }
        return new MalformedDataException(what + " cannot be written " + place);
    }

    private void put(String text) {
        try {
            target.append(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
