package dev.stowage.llm.chat.jinja;

import dev.stowage.llm.chat.jinja.Value.Bool;
import dev.stowage.llm.chat.jinja.Value.Dict;
import dev.stowage.llm.chat.jinja.Value.Int;
import dev.stowage.llm.chat.jinja.Value.Real;
import dev.stowage.llm.chat.jinja.Value.Sequence;
import dev.stowage.llm.chat.jinja.Value.Undefined;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Truth, equality and order of values, as in Python. */
final class Operators {

    private Operators() {}

    static boolean truth(Value value) {
        return switch (value) {
            case Value.None none -> false;
            case Undefined undefined -> false;
            case Bool bool -> bool == Bool.TRUE;
            case Int(long whole) -> whole != 0;
            case Real(double real) -> real != 0;
            case Text text -> !text.chars().isEmpty();
            case Sequence sequence -> !sequence.items().isEmpty();
            case Dict dict -> !dict.entries().isEmpty();
            case Value.Namespace namespace -> true;
            case Value.Loop loop -> true;
            case Value.Function function -> true;
        };
    }

    static boolean isNumber(Value value) {
        return value instanceof Int || value instanceof Real || value instanceof Bool;
    }

    /** A truth value as 0 or 1, any other value as it is. */
    static Value number(Value value) {
        return value instanceof Bool bool ? new Int(bool.number()) : value;
    }

    static double real(Value value) {
        return switch (number(value)) {
            case Int(long whole) -> whole;
            case Real(double real) -> real;
            default -> throw new TemplateError("a number is needed, not " + value.type());
        };
    }

    static boolean equal(Value left, Value right) {
        if (isNumber(left) && isNumber(right)) {
            return compareNumbers(left, right) == 0;
        }
        return switch (left) {
            case Sequence(List<Value> items, boolean tuple, long weight) ->
                right instanceof Sequence other && tuple == other.tuple() && equalItems(items, other.items());
            case Dict dict -> right instanceof Dict other && equalEntries(dict.entries(), other.entries());
            case Undefined undefined -> right instanceof Undefined;
            default -> left.equals(right);
        };
    }

    private static boolean equalItems(List<Value> left, List<Value> right) {
        if (left.size() != right.size()) {
            return false;
        }
        for (int i = 0; i < left.size(); i++) {
            if (!equal(left.get(i), right.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean equalEntries(Map<Value, Value> left, Map<Value, Value> right) {
        if (left.size() != right.size()) {
            return false;
        }
        for (Map.Entry<Value, Value> each : left.entrySet()) {
            Value other = right.get(each.getKey());
            if (other == null || !equal(each.getValue(), other)) {
                return false;
            }
        }
        return true;
    }

    /** Below, at or above 0. */
    static int compare(Value left, Value right) {
        if (isNumber(left) && isNumber(right)) {
            return compareNumbers(left, right);
        }
        if (left instanceof Text one && right instanceof Text other) {
            return one.chars().compareTo(other.chars());
        }
        if (left instanceof Sequence one && right instanceof Sequence other && one.tuple() == other.tuple()) {
            int shorter = Math.min(one.items().size(), other.items().size());
            for (int i = 0; i < shorter; i++) {
                if (!equal(one.items().get(i), other.items().get(i))) {
                    return compare(one.items().get(i), other.items().get(i));
                }
            }
            return Integer.compare(one.items().size(), other.items().size());
        }
        throw new TemplateError("no order between " + left.type() + " and " + right.type());
    }

    private static int compareNumbers(Value left, Value right) {
        if (number(left) instanceof Int(long one) && number(right) instanceof Int(long other)) {
            return Long.compare(one, other);
        }
        return Double.compare(real(left), real(right));
    }

    static boolean compares(String operator, Value left, Value right) {
        return switch (operator) {
            case "==" -> equal(left, right);
            case "!=" -> !equal(left, right);
            case "in" -> contains(right, left);
            case "not in" -> !contains(right, left);
            case "<" -> compare(left, right) < 0;
            case "<=" -> compare(left, right) <= 0;
            case ">" -> compare(left, right) > 0;
            default -> compare(left, right) >= 0;
        };
    }

    static boolean contains(Value container, Value value) {
        return switch (container) {
            case Text text -> {
                if (value instanceof Text searched) {
                    yield text.chars().contains(searched.chars());
                }
                throw new TemplateError("'in' a str needs a str, not " + value.type());
            }
            case Dict dict -> dict.entries().containsKey(value);
            default -> items(container).stream().anyMatch(each -> equal(each, value));
        };
    }

    /** What a loop over a value goes through. */
    static List<Value> items(Value value) {
        return switch (value) {
            case Sequence sequence -> sequence.items();
            case Dict dict -> List.copyOf(dict.entries().keySet());
            case Text text -> characters(text);
            case Undefined undefined -> List.of();
            default -> throw new TemplateError(value.type() + " cannot be iterated over");
        };
    }

    private static List<Value> characters(Text text) {
        List<Value> characters = new ArrayList<>();
        String chars = text.chars();
        for (int at = 0; at < chars.length(); ) {
            int next = chars.offsetByCodePoints(at, 1);
            characters.add(text.slice(at, next));
            at = next;
        }
        return characters;
    }
}
