package dev.stowage.serve.wire;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a text must conform to, as a request says it. */
public sealed interface TextFormat {

    /** The field that said it, for messages. */
    String field();

    /** A JSON object of any kind. */
    record AnyJson(String field) implements TextFormat {}

    /** A JSON value that conforms to a schema, which is JSON itself. */
    record Schema(String field, String schema) implements TextFormat {}

    /** A text that conforms to a grammar in GBNF. */
    record Gbnf(String field, String grammar) implements TextFormat {}

    /**
     * Reads it: OpenAI's {@code response_format}, or {@code grammar} and {@code json_schema} of llama-server.
     *
     * @return empty for any text
     * @throws ApiError if it is wrong, or said twice
     */
    static Optional<TextFormat> read(JsonObject body) {
        List<TextFormat> found = Stream.of(
                        body.object("response_format").flatMap(TextFormat::format),
                        body.object("json_schema").map(schema -> schema("json_schema", schema)),
                        body.text("grammar").filter(text -> !text.isEmpty()).map(text ->
                                (TextFormat) new Gbnf("grammar", text)))
                .flatMap(Optional::stream)
                .toList();
        if (found.size() > 1) {
            throw ApiError.invalid(
                    found.getLast().field(),
                    "'" + found.getFirst().field() + "' and '" + found.getLast().field()
                            + "' both say what the text must conform to: give one");
        }
        return found.stream().findFirst();
    }

    private static Optional<TextFormat> format(JsonObject format) {
        String type = format.word("type", List.of("text", "json_object", "json_schema"))
                .orElseThrow(() -> ApiError.invalid("response_format.type", "'response_format.type' is missing"));
        return switch (type) {
            case "text" -> Optional.empty();
            case "json_object" ->
                Optional.of(format.object("schema")
                        .map(schema -> schema("response_format.schema", schema))
                        .orElseGet(() -> new AnyJson("response_format")));
            default -> Optional.of(schemaOf(format));
        };
    }

    private static TextFormat schemaOf(JsonObject format) {
        Optional<JsonObject> schema = format.object("json_schema").flatMap(each -> each.object("schema"));
        return schema.or(() -> format.object("schema"))
                .map(each -> schema("response_format.json_schema.schema", each))
                .orElseThrow(() -> ApiError.invalid(
                        "response_format.json_schema",
                        "'response_format.json_schema.schema' is missing: a JSON schema"));
    }

    private static TextFormat schema(String field, JsonObject schema) {
        return new Schema(field, Json.source(schema.all(), field));
    }
}
