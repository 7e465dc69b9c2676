package dev.stowage.llm.grammar;

import dev.stowage.internal.json.JsonValue;
import dev.stowage.internal.json.JsonValue.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/** Helps to put JSON objects together. */
final class JsonObjects {

    static final JsonObject EMPTY = new JsonObject(new LinkedHashMap<>());

    private JsonObjects() {}

    static SequencedMap<String, JsonValue> copy(Map<String, JsonValue> members) {
        return new LinkedHashMap<>(members);
    }
}
