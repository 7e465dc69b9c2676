package dev.stowage.llm.chat.jinja;

import dev.stowage.llm.chat.jinja.Value.Dict;
import dev.stowage.llm.chat.jinja.Value.Function;
import dev.stowage.llm.chat.jinja.Value.Sequence;
import dev.stowage.llm.chat.jinja.Value.Undefined;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Attributes, items and methods of values. {@code a.b} finds a method before an entry, {@code a['b']} an entry before a
 * method; what is not found is undefined. Methods that change their object do not exist, as in the sandbox of Jinja2.
 */
final class Members {

    private static final Set<String> DICT_METHODS = Set.of("items", "keys", "values", "get", "copy");
    private static final Set<String> LIST_METHODS = Set.of("index", "count", "copy");

    private final RenderLimits limits;

    Members(RenderLimits limits) {
        this.limits = limits;
    }

    Value attribute(Value target, String name) {
        return switch (target) {
            case Undefined undefined -> throw undefined.error();
            case Value.Namespace namespace -> namespace.attributes().getOrDefault(name, new Undefined(name));
            case Value.Loop loop -> loop.attribute(name);
            case Dict dict when !DICT_METHODS.contains(name) -> entry(dict, Text.of(name));
            default -> method(target, name);
        };
    }

    Value item(Value target, Value key) {
        return switch (target) {
            case Undefined undefined -> throw undefined.error();
            case Dict dict when dict.entries().containsKey(key) -> entry(dict, key);
            case Sequence sequence
            when Operators.number(key) instanceof Value.Int(long index) -> at(sequence.items(), index);
            case Text text when Operators.number(key) instanceof Value.Int(long index) -> character(text, index);
            default -> key instanceof Text name ? attribute(target, name.chars()) : undefined(key);
        };
    }

    private static Value entry(Dict dict, Value key) {
        Value value = dict.entries().get(key);
        return value == null ? undefined(key) : value;
    }

    private static Undefined undefined(Value key) {
        return new Undefined(Printer.text(key).chars());
    }

    private static Value at(List<Value> items, long index) {
        long at = index < 0 ? index + items.size() : index;
        return at >= 0 && at < items.size() ? items.get((int) at) : new Undefined("[" + index + "]");
    }

    private static Value character(Text text, long index) {
        int points = text.points();
        long at = index < 0 ? index + points : index;
        if (at < 0 || at >= points) {
            return new Undefined("[" + index + "]");
        }
        return text.slice(text.offset((int) at), text.offset((int) at + 1));
    }

    private Value method(Value target, String name) {
        return switch (target) {
            case Text text
            when TextMethods.NAMES.contains(name) ->
                bound(target, name, arguments -> TextMethods.call(text, name, arguments));
            case Dict dict
            when DICT_METHODS.contains(name) -> bound(target, name, arguments -> call(dict, name, arguments));
            case Sequence sequence
            when LIST_METHODS.contains(name) -> bound(target, name, arguments -> call(sequence, name, arguments));
            default -> new Undefined(name);
        };
    }

    private Function bound(Value target, String name, Value.Body body) {
        return new Function(name, arguments -> {
            limits.work(target, arguments);
            return body.call(arguments);
        });
    }

    private static Value call(Dict dict, String name, Arguments arguments) {
        return switch (name) {
            case "items" -> items(dict);
            case "keys" -> Value.of(List.copyOf(dict.entries().keySet()));
            case "values" -> Value.of(List.copyOf(dict.entries().values()));
            case "copy" -> dict;
            default -> {
                Value found = dict.entries().get(arguments.get(0, "key"));
                yield found == null ? arguments.find(1, "default").orElse(Value.None.INSTANCE) : found;
            }
        };
    }

    /** The entries as pairs. */
    static Value items(Dict dict) {
        return Value.of(dict.entries().entrySet().stream().map(Members::pair).toList());
    }

    static Value pair(Map.Entry<Value, Value> entry) {
        return new Sequence(List.of(entry.getKey(), entry.getValue()), true);
    }

    private static Value call(Sequence sequence, String name, Arguments arguments) {
        if (name.equals("copy")) {
            return sequence;
        }
        Value searched = arguments.get(0, "value");
        long count = 0;
        for (int i = 0; i < sequence.items().size(); i++) {
            if (Operators.equal(sequence.items().get(i), searched)) {
                if (name.equals("index")) {
                    return Value.of(i);
                }
                count++;
            }
        }
        if (name.equals("index")) {
            throw new TemplateError("index(): the value is not in the list");
        }
        return Value.of(count);
    }
}
