package dev.stowage.llm.chat.jinja;

import dev.stowage.llm.chat.jinja.Value.Bool;
import dev.stowage.llm.chat.jinja.Value.Dict;
import dev.stowage.llm.chat.jinja.Value.Int;
import dev.stowage.llm.chat.jinja.Value.Real;
import dev.stowage.llm.chat.jinja.Value.Sequence;
import java.math.BigDecimal;
import java.util.Map;

/** Values as text, as {@code str()} and, inside of lists, {@code repr()} write them in Python. */
final class Printer {

    private Printer() {}

    static Text text(Value value) {
        if (value instanceof Text text) {
            return text;
        }
        Text.Builder out = new Text.Builder();
        print(value, out);
        return out.build();
    }

    /** As {@code repr()} writes it. */
    static Text quoted(Value value) {
        Text.Builder out = new Text.Builder();
        item(value, out);
        return out.build();
    }

    private static void print(Value value, Text.Builder out) {
        switch (value) {
            case Value.None none -> out.append("None");
            case Value.Undefined undefined -> {}
            case Bool bool -> out.append(bool == Bool.TRUE ? "True" : "False");
            case Int(long whole) -> out.append(Long.toString(whole));
            case Real(double real) -> out.append(number(real));
            case Text text -> quote(text, out);
            case Sequence sequence -> list(sequence, out);
            case Dict dict -> dict(dict, out);
            case Value.Namespace namespace -> out.append("<Namespace>");
            case Value.Loop loop -> out.append("<LoopContext>");
            case Value.Function function -> out.append("<function " + function.name() + ">");
        }
    }

    private static void list(Sequence sequence, Text.Builder out) {
        out.append(sequence.tuple() ? "(" : "[");
        String separator = "";
        for (Value each : sequence.items()) {
            out.append(separator);
            item(each, out);
            separator = ", ";
        }
        boolean single = sequence.tuple() && sequence.items().size() == 1;
        out.append(sequence.tuple() ? (single ? ",)" : ")") : "]");
    }

    private static void dict(Dict dict, Text.Builder out) {
        out.append("{");
        String separator = "";
        for (Map.Entry<Value, Value> each : dict.entries().entrySet()) {
            out.append(separator);
            item(each.getKey(), out);
            out.append(": ");
            item(each.getValue(), out);
            separator = ", ";
        }
        out.append("}");
    }

    private static void item(Value value, Text.Builder out) {
        if (value instanceof Value.Undefined) {
            out.append("Undefined");
        } else {
            print(value, out);
        }
    }

    private static void quote(Text text, Text.Builder out) {
        String chars = text.chars();
        char quote = chars.indexOf('\'') >= 0 && chars.indexOf('"') < 0 ? '"' : '\'';
        out.append(String.valueOf(quote));
        for (int i = 0; i < chars.length(); i++) {
            char c = chars.charAt(i);
            String written = switch (c) {
                case '\n' -> "\\n";
                case '\r' -> "\\r";
                case '\t' -> "\\t";
                case '\\' -> "\\\\";
                default -> c == quote ? "\\" + c : plain(c);
            };
            out.append(written, text.isSaid(i));
        }
        out.append(String.valueOf(quote));
    }

    private static String plain(char c) {
        return c < 0x20 || (c >= 0x7f && c <= 0xa0) ? "\\x%02x".formatted((int) c) : String.valueOf(c);
    }

    /** The shortest digits that read back as the same number, with an exponent where Python writes one. */
    static String number(double real) {
        if (Double.isNaN(real)) {
            return "nan";
        }
        if (Double.isInfinite(real)) {
            return real > 0 ? "inf" : "-inf";
        }
        if (real == 0) {
            return 1 / real > 0 ? "0.0" : "-0.0";
        }
        BigDecimal exact = new BigDecimal(Double.toString(real)).stripTrailingZeros();
        int exponent = exact.precision() - exact.scale() - 1;
        if (exponent >= -4 && exponent < 16) {
            String digits = exact.toPlainString();
            return digits.indexOf('.') >= 0 ? digits : digits + ".0";
        }
        String digits = exact.unscaledValue().abs().toString();
        String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        String sign = real < 0 ? "-" : "";
        return "%s%se%s%02d".formatted(sign, mantissa, exponent < 0 ? "-" : "+", Math.abs(exponent));
    }
}
