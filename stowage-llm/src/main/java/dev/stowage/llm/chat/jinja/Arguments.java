package dev.stowage.llm.chat.jinja;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The arguments of a call: those by position, then those by name. */
record Arguments(List<Value> positional, Map<String, Value> named) {

    static final Arguments NONE = new Arguments(List.of(), Map.of());

    static Arguments of(Value... values) {
        return new Arguments(List.of(values), Map.of());
    }

    List<Value> all() {
        if (named.isEmpty()) {
            return positional;
        }
        List<Value> all = new ArrayList<>(positional);
        all.addAll(named.values());
        return all;
    }

    int size() {
        return positional.size() + named.size();
    }

    boolean isEmpty() {
        return size() == 0;
    }

    /** Those after the first by position. */
    Arguments rest(int skipped) {
        int from = Math.min(skipped, positional.size());
        return new Arguments(positional.subList(from, positional.size()), named);
    }

    /** The argument at a position or of a name, if it is given. */
    Optional<Value> find(int position, String name) {
        if (position < positional.size()) {
            return Optional.of(positional.get(position));
        }
        return Optional.ofNullable(named.get(name));
    }

    Value get(int position, String name) {
        return find(position, name).orElseThrow(() -> new TemplateError("argument '" + name + "' is missing"));
    }

    Text text(int position, String name) {
        Value value = get(position, name);
        if (value instanceof Text text) {
            return text;
        }
        throw new TemplateError("argument '" + name + "' must be a str, not " + value.type());
    }

    /** A text, or another one if it is left out or none. */
    Text text(int position, String name, Text otherwise) {
        return find(position, name).orElse(Value.None.INSTANCE) == Value.None.INSTANCE
                ? otherwise
                : text(position, name);
    }

    long whole(int position, String name, long otherwise) {
        Value value = find(position, name).orElse(Value.None.INSTANCE);
        return switch (value) {
            case Value.None none -> otherwise;
            case Value.Int(long whole) -> whole;
            case Value.Bool bool -> bool.number();
            default -> throw new TemplateError("argument '" + name + "' must be an int, not " + value.type());
        };
    }

    boolean bool(int position, String name, boolean otherwise) {
        return find(position, name).map(Operators::truth).orElse(otherwise);
    }
}
