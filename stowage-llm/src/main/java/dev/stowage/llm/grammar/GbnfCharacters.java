package dev.stowage.llm.grammar;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Reads the literals and classes of a grammar in GBNF, with their escapes. */
final class GbnfCharacters {

    private final GbnfText text;

    GbnfCharacters(GbnfText text) {
        this.text = text;
    }

    /** The literal whose opening quote comes next. */
    Expression literal() {
        int start = text.position();
        text.read();
        StringBuilder literal = new StringBuilder();
        while (text.peek() != '"') {
            if (isOver()) {
                throw text.errorAt(start, "the literal has no closing quote");
            }
            literal.appendCodePoint(character());
        }
        text.read();
        return Expression.text(literal.toString());
    }

    /** The class whose opening bracket comes next. */
    CodePoints set() {
        int start = text.position();
        text.read();
        boolean negative = text.skipIf("^");
        List<CodePoints.Range> ranges = new ArrayList<>();
        while (text.peek() != ']') {
            if (isOver()) {
                throw text.errorAt(start, "the class of characters has no closing ']'");
            }
            ranges.add(range());
        }
        text.read();
        CodePoints set = CodePoints.of(ranges);
        return negative ? set.complement() : set;
    }

    private CodePoints.Range range() {
        int start = text.position();
        int first = character();
        int dash = text.position();
        if (!text.skipIf("-")) {
            return new CodePoints.Range(first, first);
        }
        if (text.peek() == ']' || isOver()) {
            text.moveTo(dash);
            return new CodePoints.Range(first, first);
        }
        int last = character();
        if (last < first) {
            throw text.errorAt(start, "a range of characters whose end comes before its beginning");
        }
        return new CodePoints.Range(first, last);
    }

    private boolean isOver() {
        return text.isAtEnd() || text.peek() == '\n' || text.peek() == '\r';
    }

    private int character() {
        int start = text.position();
        int c = text.read();
        if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
            throw text.errorAt(start, "half of a surrogate pair");
        }
        if (c != '\\') {
            return c;
        }
        int kind = text.read();
        return switch (kind) {
            case 'x' -> hex(start, 2);
            case 'u' -> hex(start, 4);
            case 'U' -> hex(start, 8);
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case '\\', '"', '[', ']', '-', '^' -> kind;
            default ->
                throw text.errorAt(
                        start,
                        "a backslash has to be followed by one of xuUnrt\\\"[]-^, not by "
                                + (kind == GbnfText.END ? "the end" : "'" + Character.toString(kind) + "'"));
        };
    }

    private int hex(int start, int digits) {
        long value = 0;
        for (int i = 0; i < digits; i++) {
            int digit = text.read();
            if (!HexFormat.isHexDigit(digit)) {
                throw text.errorAt(start, "the escape has to have " + digits + " hexadecimal digits");
            }
            value = value << 4 | HexFormat.fromHexDigit(digit);
        }
        boolean surrogate = value >= Character.MIN_SURROGATE && value <= Character.MAX_SURROGATE;
        if (value > CodePoints.LAST || surrogate) {
            throw text.errorAt(start, "the escape is not a Unicode character");
        }
        return (int) value;
    }
}
