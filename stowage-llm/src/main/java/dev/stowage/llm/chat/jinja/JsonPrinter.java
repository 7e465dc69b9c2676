package dev.stowage.llm.chat.jinja;

import dev.stowage.llm.chat.jinja.Value.Bool;
import dev.stowage.llm.chat.jinja.Value.Dict;
import dev.stowage.llm.chat.jinja.Value.Int;
import dev.stowage.llm.chat.jinja.Value.Real;
import dev.stowage.llm.chat.jinja.Value.Sequence;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The filter {@code tojson}: values as {@code json.dumps} of Python writes them, with the arguments that Hugging Face
 * gives the filter. Models are trained on the blanks that it writes after commas and colons.
 */
final class JsonPrinter {

    private static final int MAX_INDENT = 64;

    private final Text.Builder out = new Text.Builder();
    private final boolean ascii;
    private final boolean sorted;
    private final int indent;
    private final Text itemSeparator;
    private final Text keySeparator;
    private int depth;

    private JsonPrinter(Arguments arguments) {
        // By position comes the indentation, as in Jinja2 itself; templates name the other arguments.
        this.indent = (int) Math.min(arguments.whole(0, "indent", -1), MAX_INDENT);
        this.ascii = arguments.bool(Integer.MAX_VALUE, "ensure_ascii", false);
        this.sorted = arguments.bool(Integer.MAX_VALUE, "sort_keys", false);
        Value separators = arguments.find(Integer.MAX_VALUE, "separators").orElse(Value.None.INSTANCE);
        List<Value> pair = separators == Value.None.INSTANCE
                ? List.of(Text.of(indent >= 0 ? "," : ", "), Text.of(": "))
                : Operators.items(separators);
        if (pair.size() != 2) {
            throw new TemplateError("'separators' of tojson must be two strings");
        }
        this.itemSeparator = Printer.text(pair.get(0));
        this.keySeparator = Printer.text(pair.get(1));
    }

    static Text print(Value value, Arguments arguments) {
        JsonPrinter printer = new JsonPrinter(arguments);
        printer.print(value);
        return printer.out.build();
    }

    private void print(Value value) {
        switch (value) {
            case Value.None none -> out.append("null");
            case Bool bool -> out.append(bool == Bool.TRUE ? "true" : "false");
            case Int(long whole) -> out.append(Long.toString(whole));
            case Real(double real) -> out.append(number(real));
            case Text text -> quote(text);
            case Sequence sequence -> group("[", sequence.items(), this::print, "]");
            case Dict dict -> group("{", entries(dict), this::entry, "}");
            case Value.Undefined undefined -> throw undefined.error();
            case Value.Namespace namespace -> throw unsupported(value);
            case Value.Loop loop -> throw unsupported(value);
            case Value.Function function -> throw unsupported(value);
        }
    }

    private static TemplateError unsupported(Value value) {
        return new TemplateError("tojson does not apply to " + value.type());
    }

    private static String number(double real) {
        if (Double.isNaN(real)) {
            return "NaN";
        }
        if (Double.isInfinite(real)) {
            return real > 0 ? "Infinity" : "-Infinity";
        }
        return Printer.number(real);
    }

    private List<Map.Entry<Value, Value>> entries(Dict dict) {
        List<Map.Entry<Value, Value>> entries = new ArrayList<>(dict.entries().entrySet());
        if (sorted) {
            entries.sort(Comparator.comparing(Map.Entry::getKey, Operators::compare));
        }
        return entries;
    }

    private void entry(Map.Entry<Value, Value> entry) {
        Value key = entry.getKey();
        if (key instanceof Text text) {
            quote(text);
        } else {
            out.append("\"");
            print(key);
            out.append("\"");
        }
        out.append(keySeparator);
        print(entry.getValue());
    }

    private <T> void group(String open, List<T> members, Consumer<T> print, String close) {
        out.append(open);
        depth++;
        boolean first = true;
        for (T each : members) {
            if (!first) {
                out.append(itemSeparator);
            }
            first = false;
            breakLine();
            print.accept(each);
        }
        depth--;
        if (!members.isEmpty()) {
            breakLine();
        }
        out.append(close);
    }

    private void breakLine() {
        if (indent >= 0) {
            out.append("\n" + " ".repeat(indent * depth));
        }
    }

    private void quote(Text text) {
        out.append("\"");
        String chars = text.chars();
        for (int i = 0; i < chars.length(); i++) {
            out.append(escaped(chars.charAt(i)), text.isSaid(i));
        }
        out.append("\"");
    }

    private String escaped(char c) {
        return switch (c) {
            case '"' -> "\\\"";
            case '\\' -> "\\\\";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            case '\b' -> "\\b";
            case '\f' -> "\\f";
            default -> c < 0x20 || (ascii && c > 0x7e) ? "\\u%04x".formatted((int) c) : String.valueOf(c);
        };
    }
}
