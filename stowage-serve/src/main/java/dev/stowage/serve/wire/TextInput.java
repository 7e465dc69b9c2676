package dev.stowage.serve.wire;

import java.util.ArrayList;
import java.util.List;

/** A text that a request has: characters, or tokens already. */
public sealed interface TextInput {

    /** A text as characters. */
    record Characters(String text) implements TextInput {}

    /** A text as tokens. */
    @SuppressWarnings("ArrayRecordComponent") // made here, and read only
    record Tokens(int[] tokens) implements TextInput {}

    /** The texts of a field: a string, an array of tokens, or an array of either. */
    static List<TextInput> read(Object value, String path) {
        return switch (value) {
            case String text -> List.of(new Characters(text));
            case List<?> list when !list.isEmpty() && list.getFirst() instanceof Number -> List.of(tokens(list, path));
            case List<?> list -> {
                List<TextInput> all = new ArrayList<>();
                for (int i = 0; i < list.size(); i++) {
                    all.add(single(list.get(i), path + "[" + i + "]"));
                }
                yield all;
            }
            default -> throw JsonObject.wrong(path, "a string, an array of strings, or an array of tokens", value);
        };
    }

    private static TextInput single(Object value, String path) {
        return switch (value) {
            case String text -> new Characters(text);
            case List<?> list -> tokens(list, path);
            default -> throw JsonObject.wrong(path, "a string, or an array of tokens", value);
        };
    }

    private static Tokens tokens(List<?> list, String path) {
        int[] tokens = new int[list.size()];
        for (int i = 0; i < tokens.length; i++) {
            tokens[i] = (int) JsonObject.whole(list.get(i), path + "[" + i + "]", 0, Integer.MAX_VALUE);
        }
        return new Tokens(tokens);
    }

    /** The tokens that a field has. */
    static int[] tokens(JsonObject body, String name) {
        return body.list(name)
                .map(list -> tokens(list, name).tokens())
                .orElseThrow(() -> ApiError.invalid(name, "'" + name + "' is missing: an array of tokens"));
    }
}
