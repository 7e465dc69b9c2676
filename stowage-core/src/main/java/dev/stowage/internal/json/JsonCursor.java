package dev.stowage.internal.json;

import dev.stowage.error.MalformedDataException;
import dev.stowage.error.StowageException;
import dev.stowage.internal.json.JsonValue.JsonArray;
import dev.stowage.internal.json.JsonValue.JsonBoolean;
import dev.stowage.internal.json.JsonValue.JsonDouble;
import dev.stowage.internal.json.JsonValue.JsonLong;
import dev.stowage.internal.json.JsonValue.JsonNull;
import dev.stowage.internal.json.JsonValue.JsonObject;
import dev.stowage.internal.json.JsonValue.JsonString;
import java.util.AbstractList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A position in a document of known structure. Where the document differs from what a call expects, the exception names
 * the path from the root, as in {@code expect.chunks[3]}, and the value found. The path is built lazily.
 */
public final class JsonCursor {

    private final JsonValue value;
    private final @Nullable JsonCursor parent;
    private final String key;
    private final int index;

    private JsonCursor(JsonValue value, @Nullable JsonCursor parent, String key, int index) {
        this.value = value;
        this.parent = parent;
        this.key = key;
        this.index = index;
    }

    static JsonCursor of(JsonValue root) {
        return new JsonCursor(root, null, "", -1);
    }

    /** The value at this cursor. */
    public JsonValue value() {
        return value;
    }

    /** The path from the root; for the root itself {@code (document)}. */
    public String path() {
        return parent == null ? "(document)" : steps();
    }

    private String steps() {
        if (parent == null) {
            return "";
        }
        String before = parent.steps();
        if (index >= 0) {
            return before + "[" + index + "]";
        }
        return isPlain(key) ? before + (before.isEmpty() ? "" : ".") + key : before + "[" + JsonText.quoted(key) + "]";
    }

    private static boolean isPlain(String key) {
        return !key.isEmpty() && key.chars().allMatch(c -> c == '_' || c == '-' || Character.isLetterOrDigit(c));
    }

    /** The member of that name of the object at this cursor. */
    public JsonCursor get(String name) {
        return find(name).orElseThrow(() -> malformed("the member " + JsonText.quoted(name) + " is missing"));
    }

    /** The member of that name, if the object at this cursor has it, even if it is null. */
    public Optional<JsonCursor> find(String name) {
        return Optional.ofNullable(object().members().get(name)).map(member -> new JsonCursor(member, this, name, -1));
    }

    /**
     * Checks the members "format" and "version" that a saved document begins with.
     *
     * @param otherwise what the document is not if its format differs, such as "a saved plan"
     */
    public void requireFormat(String format, int version, String otherwise) {
        if (!get("format").asString().equals(format)) {
            throw get("format").malformed("this is not " + otherwise + ": expected " + JsonText.quoted(format));
        }
        long found = get("version").asLong();
        if (found != version) {
            throw get("version").malformed("version " + found + " cannot be read, only version " + version);
        }
    }

    /** The names of the members of the object at this cursor, in their order. */
    public Set<String> names() {
        return object().members().keySet();
    }

    private JsonObject object() {
        if (value instanceof JsonObject object) {
            return object;
        }
        throw unexpected("an object");
    }

    /** The element at that place of the array at this cursor. */
    public JsonCursor at(int i) {
        List<JsonValue> elements = array().elements();
        if (i < 0 || i >= elements.size()) {
            throw malformed("there is no element " + i + " in an array of " + elements.size());
        }
        return new JsonCursor(elements.get(i), this, "", i);
    }

    /** The elements of the array at this cursor. */
    public List<JsonCursor> elements() {
        int size = array().elements().size();
        return new AbstractList<>() {
            @Override
            public JsonCursor get(int i) {
                return at(i);
            }

            @Override
            public int size() {
                return size;
            }
        };
    }

    private JsonArray array() {
        if (value instanceof JsonArray array) {
            return array;
        }
        throw unexpected("an array");
    }

    public boolean isNull() {
        return value instanceof JsonNull;
    }

    public String asString() {
        if (value instanceof JsonString(String string)) {
            return string;
        }
        throw unexpected("a string");
    }

    public boolean asBoolean() {
        if (value instanceof JsonBoolean(boolean truth)) {
            return truth;
        }
        throw unexpected("true or false");
    }

    /** A number written as a whole one. */
    public long asLong() {
        if (value instanceof JsonLong(long number)) {
            return number;
        }
        throw unexpected("a whole number");
    }

    /** A whole number from {@code least} to {@code most}. */
    public long asLong(long least, long most) {
        long number = asLong();
        if (number < least || number > most) {
            throw unexpected("a whole number from " + least + " to " + most);
        }
        return number;
    }

    public int asInt() {
        return (int) asLong(Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    /** A whole number from {@code least} to {@code most}. */
    public int asInt(int least, int most) {
        return (int) asLong(least, most);
    }

    /** A number of either kind; a whole one beyond 2<sup>53</sup> is rounded. */
    public double asDouble() {
        return switch (value) {
            case JsonLong(long whole) -> whole;
            case JsonDouble(double real) -> real;
            default -> throw unexpected("a number");
        };
    }

    /** An array of whole numbers. */
    public long[] asLongs() {
        return elements().stream().mapToLong(JsonCursor::asLong).toArray();
    }

    /** An array of whole numbers that fit an int. */
    public int[] asInts() {
        return elements().stream().mapToInt(JsonCursor::asInt).toArray();
    }

    /** An exception about the value at this cursor, to be thrown. */
    public MalformedDataException malformed(String reason) {
        return new MalformedDataException(path() + ": " + reason);
    }

    /** An exception about the value at this cursor with that cause, to be thrown. */
    public MalformedDataException malformed(StowageException cause) {
        return new MalformedDataException(path() + ": " + cause.getMessage(), cause);
    }

    private MalformedDataException unexpected(String expected) {
        return malformed("expected " + expected + ", found " + found());
    }

    private String found() {
        return switch (value) {
            case JsonObject object -> "an object of " + object.members().size();
            case JsonArray array -> "an array of " + array.elements().size();
            case JsonString(String string) -> "the string " + JsonText.quoted(string);
            case JsonLong(long number) -> "the number " + number;
            case JsonDouble(double number) -> "the number " + number;
            case JsonBoolean(boolean truth) -> Boolean.toString(truth);
            case JsonNull _ -> "null";
        };
    }
}
