package dev.stowage.internal.json;

import dev.stowage.error.MalformedDataException;
import dev.stowage.internal.json.JsonValue.JsonArray;
import dev.stowage.internal.json.JsonValue.JsonBoolean;
import dev.stowage.internal.json.JsonValue.JsonNull;
import dev.stowage.internal.json.JsonValue.JsonObject;
import dev.stowage.internal.json.JsonValue.JsonString;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON text as RFC 8259 defines it, and nothing beyond: no comments, no trailing commas, no repeated keys, no
 * text that is not valid Unicode. What is refused is refused with its line and column, both counted from 1, columns in
 * Unicode characters.
 */
public final class JsonReader {

    /** The deepest nesting of objects and arrays in a document that is read or written. */
    public static final int MAX_DEPTH = 512;

    private final JsonText text;
    private final JsonTokens tokens;

    private JsonReader(JsonText text) {
        this.text = text;
        this.tokens = new JsonTokens(text);
    }

    /**
     * The document in that text.
     *
     * @throws MalformedDataException if it is not JSON; the message says where and why
     */
    public static JsonValue parse(String text) {
        return parse(text, 1);
    }

    /**
     * The document in a text that is part of a larger one, in which its first line has the number {@code firstLine}.
     *
     * @throws MalformedDataException if it is not JSON; the message says where and why
     */
    public static JsonValue parse(String text, int firstLine) {
        JsonText source = new JsonText(text, firstLine);
        JsonReader reader = new JsonReader(source);
        source.skipSpace();
        JsonValue document = reader.value(0);
        source.skipSpace();
        if (!source.isAtEnd()) {
            throw source.error("the document has ended, but " + source.found() + " follows");
        }
        return document;
    }

    private JsonValue value(int depth) {
        return switch (text.peek()) {
            case '{' -> object(deeper(depth));
            case '[' -> array(deeper(depth));
            case '"' -> new JsonString(tokens.string());
            case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> tokens.number();
            case 't' -> literal("true", new JsonBoolean(true));
            case 'f' -> literal("false", new JsonBoolean(false));
            case 'n' -> literal("null", new JsonNull());
            default -> throw text.error("expected a value, found " + text.found());
        };
    }

    private int deeper(int depth) {
        if (depth == MAX_DEPTH) {
            throw text.error("objects and arrays are nested more than " + MAX_DEPTH + " deep");
        }
        return depth + 1;
    }

    private JsonValue literal(String word, JsonValue meaning) {
        if (!text.startsWith(word)) {
            throw text.error("expected a value, found a word that is not true, false or null");
        }
        text.skip(word.length());
        return meaning;
    }

    private JsonArray array(int depth) {
        List<JsonValue> elements = new ArrayList<>();
        text.skip(1);
        text.skipSpace();
        if (!text.skipIf(']')) {
            do {
                text.skipSpace();
                elements.add(value(depth));
                text.skipSpace();
            } while (text.skipIf(','));
            close(']', "an array");
        }
        return new JsonArray(elements);
    }

    private JsonObject object(int depth) {
        LinkedHashMap<String, JsonValue> members = new LinkedHashMap<>();
        text.skip(1);
        text.skipSpace();
        if (!text.skipIf('}')) {
            do {
                text.skipSpace();
                String key = key(members);
                members.put(key, value(depth));
                text.skipSpace();
            } while (text.skipIf(','));
            close('}', "an object");
        }
        return new JsonObject(members);
    }

    private String key(Map<String, JsonValue> before) {
        if (text.peek() != '"') {
            throw text.error("expected a key in quotes, found " + text.found());
        }
        int start = text.position();
        String key = tokens.string();
        if (before.containsKey(key)) {
            throw text.errorAt(start, "the key " + JsonText.quoted(key) + " is there twice in one object");
        }
        text.skipSpace();
        if (!text.skipIf(':')) {
            throw text.error("expected ':' after the key " + JsonText.quoted(key) + ", found " + text.found());
        }
        text.skipSpace();
        return key;
    }

    private void close(char bracket, String what) {
        if (!text.skipIf(bracket)) {
            throw text.error("expected ',' or '" + bracket + "' in " + what + ", found " + text.found());
        }
    }
}
