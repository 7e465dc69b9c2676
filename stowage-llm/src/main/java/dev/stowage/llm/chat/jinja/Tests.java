package dev.stowage.llm.chat.jinja;

import dev.stowage.llm.chat.jinja.Value.Bool;
import dev.stowage.llm.chat.jinja.Value.Dict;
import dev.stowage.llm.chat.jinja.Value.Int;
import dev.stowage.llm.chat.jinja.Value.Real;
import dev.stowage.llm.chat.jinja.Value.Sequence;
import dev.stowage.llm.chat.jinja.Value.Undefined;

/** The tests that can follow {@code is}. */
final class Tests {

    private Tests() {}

    static boolean apply(String name, Value value, Arguments arguments) {
        return switch (name) {
            case "defined" -> !(value instanceof Undefined);
            case "undefined" -> value instanceof Undefined;
            case "none" -> value == Value.None.INSTANCE;
            case "true" -> value == Bool.TRUE;
            case "false" -> value == Bool.FALSE;
            case "boolean" -> value instanceof Bool;
            case "string" -> value instanceof Text;
            case "number" -> Operators.isNumber(value);
            case "integer" -> value instanceof Int;
            case "float" -> value instanceof Real;
            case "mapping" -> value instanceof Dict;
            case "sequence" -> value instanceof Sequence || value instanceof Dict || value instanceof Text;
            case "iterable" ->
                value instanceof Sequence
                        || value instanceof Dict
                        || value instanceof Text
                        || value instanceof Undefined;
            case "callable" -> value instanceof Value.Function;
            case "lower" -> Printer.text(value).equals(Printer.text(value).lower());
            case "upper" -> Printer.text(value).equals(Printer.text(value).upper());
            default -> compares(name, value, arguments);
        };
    }

    private static boolean compares(String name, Value value, Arguments arguments) {
        return switch (name) {
            case "odd" -> remainder(value, 2) != 0;
            case "even" -> remainder(value, 2) == 0;
            case "divisibleby" -> remainder(value, arguments.whole(0, "num", 0)) == 0;
            case "equalto", "eq", "==" -> Operators.equal(value, arguments.get(0, "other"));
            case "ne", "!=" -> !Operators.equal(value, arguments.get(0, "other"));
            case "lt", "lessthan", "<" -> Operators.compare(value, arguments.get(0, "other")) < 0;
            case "le", "<=" -> Operators.compare(value, arguments.get(0, "other")) <= 0;
            case "gt", "greaterthan", ">" -> Operators.compare(value, arguments.get(0, "other")) > 0;
            case "ge", ">=" -> Operators.compare(value, arguments.get(0, "other")) >= 0;
            case "in" -> Operators.contains(arguments.get(0, "seq"), value);
            case "sameas" -> isSame(value, arguments.get(0, "other"));
            default -> throw new TemplateError("unknown test '" + name + "'");
        };
    }

    private static boolean isSame(Value value, Value other) {
        return value.type().equals(other.type()) && Operators.equal(value, other);
    }

    private static long remainder(Value value, long divisor) {
        if (divisor == 0) {
            throw new TemplateError("division by zero");
        }
        if (Operators.number(value) instanceof Int(long whole)) {
            return Math.floorMod(whole, divisor);
        }
        throw new TemplateError("an int is needed, not " + value.type());
    }
}
