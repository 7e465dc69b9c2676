package dev.stowage.internal.json;

import dev.stowage.error.MalformedDataException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * A JSON document, or a part of one, as plain immutable data. {@link JsonReader} makes it from text, {@link JsonWriter}
 * makes text of it, and a {@link JsonCursor} walks it where the document is expected to have a certain form.
 */
public sealed interface JsonValue {

    /** A cursor on this value as the root of a document. */
    default JsonCursor cursor() {
        return JsonCursor.of(this);
    }

    /** Members in the order in which they were written; two objects are equal whatever that order is. */
    record JsonObject(SequencedMap<String, JsonValue> members) implements JsonValue {

        public JsonObject {
            members = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(members));
        }
    }

    /** Values one after the other. */
    record JsonArray(List<JsonValue> elements) implements JsonValue {

        public JsonArray {
            elements = List.copyOf(elements);
        }
    }

    /** Text. */
    record JsonString(String value) implements JsonValue {}

    /** A number, kept exactly where it is written as a whole number and to the nearest double otherwise. */
    sealed interface JsonNumber extends JsonValue {}

    /** A number written without fraction and exponent. */
    record JsonLong(long value) implements JsonNumber {}

    /** A number written with a fraction or an exponent, and {@code -0}, whose sign a long cannot keep. */
    record JsonDouble(double value) implements JsonNumber {

        public JsonDouble {
            if (!Double.isFinite(value)) {
                throw new MalformedDataException("JSON has no way to write the number " + value);
            }
        }
    }

    /** {@code true} or {@code false}. */
    record JsonBoolean(boolean value) implements JsonValue {}

    /** {@code null}. */
    record JsonNull() implements JsonValue {}
}
