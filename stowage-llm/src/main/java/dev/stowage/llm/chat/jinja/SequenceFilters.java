package dev.stowage.llm.chat.jinja;

import dev.stowage.llm.chat.jinja.Value.Dict;
import dev.stowage.llm.chat.jinja.Value.Int;
import dev.stowage.llm.chat.jinja.Value.Sequence;
import dev.stowage.llm.chat.jinja.Value.Undefined;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The filters of lists. */
final class SequenceFilters {

    private SequenceFilters() {}

    static Value apply(String name, Value value, Arguments arguments) {
        return switch (name) {
            case "list" -> Value.of(Operators.items(value));
            case "first" -> end(Operators.items(value), true);
            case "last" -> end(Operators.items(value), false);
            case "join" -> joined(value, arguments);
            case "reverse" -> reversed(value);
            case "map", "select", "reject", "selectattr", "rejectattr" ->
                // Jinja2 does not even look whether something that counts as false is a list.
                Operators.truth(value) ? chosen(name, value, arguments) : Value.of(List.of());
            case "sort" -> sort(value, arguments);
            case "unique" -> unique(value, arguments);
            case "min" -> extreme(value, arguments, true);
            case "max" -> extreme(value, arguments, false);
            case "sum" -> sum(value, arguments);
            case "dictsort" -> sortedEntries(value, arguments);
            case "attr" -> attribute(value, arguments.get(0, "name"));
            default -> throw new TemplateError("unknown filter '" + name + "'");
        };
    }

    private static Value chosen(String name, Value value, Arguments arguments) {
        return switch (name) {
            case "map" -> map(value, arguments);
            case "select" -> select(value, arguments, true);
            case "reject" -> select(value, arguments, false);
            case "selectattr" -> selectByAttribute(value, arguments, true);
            default -> selectByAttribute(value, arguments, false);
        };
    }

    private static Value end(List<Value> items, boolean first) {
        if (items.isEmpty()) {
            return new Undefined(first ? "first" : "last");
        }
        return first ? items.getFirst() : items.getLast();
    }

    private static Value joined(Value value, Arguments arguments) {
        Value items = arguments
                .find(1, "attribute")
                .map(attribute -> Value.of(attributes(value, attribute)))
                .orElse(value);
        return join(items, Printer.text(arguments.find(0, "d").orElse(Text.EMPTY)));
    }

    static Text join(Value value, Text separator) {
        Text.Builder out = new Text.Builder();
        boolean first = true;
        for (Value each : Operators.items(value)) {
            if (!first) {
                out.append(separator);
            }
            out.append(Printer.text(each));
            first = false;
        }
        return out.build();
    }

    private static Value reversed(Value value) {
        List<Value> items = new ArrayList<>(Operators.items(value));
        Collections.reverse(items);
        return value instanceof Text ? join(Value.of(items), Text.EMPTY) : Value.of(items);
    }

    /** An attribute of a value by its name; a name with dots leads through several values. */
    private static Value attribute(Value value, Value name) {
        Value found = value;
        if (name instanceof Int) {
            return item(found, name);
        }
        for (String part : Printer.text(name).chars().split("\\.", -1)) {
            boolean index =
                    !part.isEmpty() && part.length() < 10 && part.chars().allMatch(Character::isDigit);
            found = item(found, index ? new Int(Long.parseLong(part)) : Text.of(part));
        }
        return found;
    }

    private static Value item(Value value, Value key) {
        return switch (value) {
            case Dict dict ->
                dict.entries().getOrDefault(key, new Undefined(Printer.text(key).chars()));
            case Sequence sequence
            when key instanceof Int(long at) && at >= 0 && at < sequence.items().size() ->
                sequence.items().get((int) at);
            case Value.Namespace namespace
            when key instanceof Text name ->
                namespace.attributes().getOrDefault(name.chars(), new Undefined(name.chars()));
            default -> new Undefined(Printer.text(key).chars());
        };
    }

    private static List<Value> attributes(Value value, Value name) {
        return Operators.items(value).stream()
                .map(each -> attribute(each, name))
                .toList();
    }

    private static Value map(Value value, Arguments arguments) {
        Value attribute = arguments.named().get("attribute");
        if (attribute == null) {
            String filter = arguments.text(0, "filter").chars();
            return Value.of(Operators.items(value).stream()
                    .map(each -> Filters.apply(filter, each, arguments.rest(1)))
                    .toList());
        }
        Value otherwise = arguments.named().get("default");
        return Value.of(attributes(value, attribute).stream()
                .map(each -> each instanceof Undefined && otherwise != null ? otherwise : each)
                .toList());
    }

    private static Value select(Value value, Arguments arguments, boolean kept) {
        return Value.of(Operators.items(value).stream()
                .filter(each -> passes(each, arguments) == kept)
                .toList());
    }

    private static Value selectByAttribute(Value value, Arguments arguments, boolean kept) {
        Value name = arguments.get(0, "attribute");
        return Value.of(Operators.items(value).stream()
                .filter(each -> passes(attribute(each, name), arguments.rest(1)) == kept)
                .toList());
    }

    /** Whether a value passes the test that arguments name, or is true if they name none. */
    private static boolean passes(Value value, Arguments arguments) {
        return arguments.isEmpty()
                ? Operators.truth(value)
                : Tests.apply(arguments.text(0, "test").chars(), value, arguments.rest(1));
    }

    /** What values are sorted by: an attribute or they themselves, without regard to case unless asked for. */
    private static Comparator<Value> order(Value attribute, boolean caseSensitive) {
        return Comparator.comparing(
                each -> folded(attribute == Value.None.INSTANCE ? each : attribute(each, attribute), caseSensitive),
                Operators::compare);
    }

    private static Value folded(Value value, boolean caseSensitive) {
        return value instanceof Text text && !caseSensitive ? text.lower() : value;
    }

    private static Value sort(Value value, Arguments arguments) {
        Comparator<Value> order = order(
                arguments.find(2, "attribute").orElse(Value.None.INSTANCE), arguments.bool(1, "case_sensitive", false));
        List<Value> sorted = new ArrayList<>(Operators.items(value));
        sorted.sort(arguments.bool(0, "reverse", false) ? order.reversed() : order);
        return Value.of(sorted);
    }

    private static Value extreme(Value value, Arguments arguments, boolean least) {
        List<Value> items = Operators.items(value);
        Comparator<Value> order = order(
                arguments.find(1, "attribute").orElse(Value.None.INSTANCE), arguments.bool(0, "case_sensitive", false));
        if (items.isEmpty()) {
            return new Undefined(least ? "min" : "max");
        }
        return least ? Collections.min(items, order) : Collections.max(items, order);
    }

    private static Value unique(Value value, Arguments arguments) {
        boolean caseSensitive = arguments.bool(0, "case_sensitive", false);
        Value attribute = arguments.find(1, "attribute").orElse(Value.None.INSTANCE);
        Set<Value> seen = new LinkedHashSet<>();
        List<Value> kept = new ArrayList<>();
        for (Value each : Operators.items(value)) {
            Value key = attribute == Value.None.INSTANCE ? each : attribute(each, attribute);
            if (seen.add(folded(key, caseSensitive))) {
                kept.add(each);
            }
        }
        return Value.of(kept);
    }

    private static Value sum(Value value, Arguments arguments) {
        Value total = arguments.find(1, "start").orElse(new Int(0));
        Value attribute = arguments.find(0, "attribute").orElse(Value.None.INSTANCE);
        for (Value each : attribute == Value.None.INSTANCE ? Operators.items(value) : attributes(value, attribute)) {
            total = Calculator.apply("+", total, each);
        }
        return total;
    }

    private static Value sortedEntries(Value value, Arguments arguments) {
        if (!(value instanceof Dict dict)) {
            throw new TemplateError("the filter 'dictsort' needs a dict, not " + value.type());
        }
        Value index = arguments.text(1, "by", Text.of("key")).chars().equals("value") ? new Int(1) : new Int(0);
        Comparator<Value> order = order(index, arguments.bool(0, "case_sensitive", false));
        List<Value> pairs = new ArrayList<>();
        for (Map.Entry<Value, Value> each : dict.entries().entrySet()) {
            pairs.add(Members.pair(each));
        }
        pairs.sort(arguments.bool(2, "reverse", false) ? order.reversed() : order);
        return Value.of(pairs);
    }
}
