package dev.stowage.llm.grammar;

import java.util.ArrayList;
import java.util.List;

/** How characters are written within a string of JSON. */
final class JsonCharacters {

    private static final CodePoints CONTROL = CodePoints.of(0, 0x1F);

    /** What stands for itself. */
    static final CodePoints PLAIN = CONTROL.or(CodePoints.anyOf("\"\\")).complement();

    private JsonCharacters() {}

    /** One character of a set, as it is written in a string. */
    static Expression of(CodePoints set) {
        List<Expression> all = new ArrayList<>();
        CodePoints plain = set.and(PLAIN);
        if (!plain.isEmpty()) {
            all.add(new Expression.Chars(plain));
        }
        for (CodePoints.Range range : set.minus(PLAIN).ranges()) {
            for (int c = range.first(); c <= range.last(); c++) {
                all.add(Expression.text(escape(c)));
            }
        }
        return all.size() == 1 ? all.getFirst() : new Expression.Choice(all);
    }

    private static String escape(int c) {
        return switch (c) {
            case '"' -> "\\\"";
            case '\\' -> "\\\\";
            case '\b' -> "\\b";
            case '\f' -> "\\f";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> "\\u%04x".formatted(c);
        };
    }
}
