package dev.stowage.llm.grammar;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * JSON as the tests read it, sharing nothing with the code they test: objects as lists of members, arrays as lists, strings,
 * numbers as {@link BigDecimal}, booleans, and {@link #NULL}.
 */
final class Json {

    static final Object NULL = new Object();

    /** An object, with members of the same name kept apart. */
    record Members(List<Map.Entry<String, Object>> all) {}

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /**
     * @throws IllegalArgumentException if it is not JSON
     */
    static Object parse(String text) {
        Json json = new Json(text);
        json.space();
        Object value = json.value();
        json.space();
        json.require(json.at == text.length(), "the end");
        return value;
    }

    private void require(boolean holds, String expected) {
        if (!holds) {
            throw new IllegalArgumentException("expected " + expected + " at " + at + " of " + text);
        }
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    private void space() {
        while (peek() != 0 && " \t\r\n".indexOf(peek()) >= 0) {
            at++;
        }
    }

    private boolean take(String expected) {
        boolean there = text.startsWith(expected, at);
        at += there ? expected.length() : 0;
        return there;
    }

    private Object value() {
        if (take("null")) {
            return NULL;
        }
        if (take("true")) {
            return true;
        }
        if (take("false")) {
            return false;
        }
        return switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            default -> number();
        };
    }

    private Members object() {
        List<Map.Entry<String, Object>> members = new ArrayList<>();
        at++;
        space();
        while (!take("}")) {
            require(members.isEmpty() || take(","), "a comma");
            space();
            String name = string();
            space();
            require(take(":"), "a colon");
            space();
            members.add(Map.entry(name, value()));
            space();
        }
        return new Members(members);
    }

    private List<Object> array() {
        List<Object> elements = new ArrayList<>();
        at++;
        space();
        while (!take("]")) {
            require(elements.isEmpty() || take(","), "a comma");
            space();
            elements.add(value());
            space();
        }
        return elements;
    }

    private String string() {
        require(take("\""), "a string");
        StringBuilder value = new StringBuilder();
        while (!take("\"")) {
            char c = peek();
            require(c >= ' ', "a character");
            at++;
            if (c != '\\') {
                value.append(c);
                continue;
            }
            int simple = "\"\\/bfnrt".indexOf(peek());
            if (simple >= 0) {
                value.append("\"\\/\b\f\n\r\t".charAt(simple));
                at++;
            } else {
                require(peek() == 'u', "an escape");
                require(text.substring(at + 1, at + 5).matches("[0-9a-fA-F]{4}"), "hexadecimal digits");
                value.append((char) Integer.parseInt(text, at + 1, at + 5, 16));
                at += 5;
            }
        }
        for (int i = 0; i < value.length(); i++) {
            boolean pair = Character.isHighSurrogate(value.charAt(i))
                    && i + 1 < value.length()
                    && Character.isLowSurrogate(value.charAt(i + 1));
            require(pair || !Character.isSurrogate(value.charAt(i)), "whole characters");
            require(value.charAt(i) != '\uFFFD', "valid UTF-8");
            i += pair ? 1 : 0;
        }
        return value.toString();
    }

    private BigDecimal number() {
        int start = at;
        while (peek() != 0 && "+-.0123456789eE".indexOf(peek()) >= 0) {
            at++;
        }
        String number = text.substring(start, at);
        require(number.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?"), "a number");
        return new BigDecimal(number);
    }

    /** Writes the same kinds of values, for schemas that are made at random. */
    static String write(Object value) {
        return switch (value) {
            case Map<?, ?> map -> {
                List<String> members = new ArrayList<>();
                map.forEach((name, member) -> members.add(write(name) + ": " + write(member)));
                yield "{" + String.join(", ", members) + "}";
            }
            case List<?> list ->
                "[" + String.join(", ", list.stream().map(Json::write).toList()) + "]";
            case String string -> {
                StringBuilder text = new StringBuilder("\"");
                for (int i = 0; i < string.length(); i++) {
                    char c = string.charAt(i);
                    text.append(c < ' ' || c == '"' || c == '\\' ? "\\u%04x".formatted((int) c) : c);
                }
                yield text.append('"').toString();
            }
            case BigDecimal number -> number.toPlainString();
            case Boolean _, Integer _ -> value.toString();
            default -> "null";
        };
    }
}
