package dev.stowage.internal.json;

import dev.stowage.error.MalformedDataException;
import dev.stowage.internal.json.JsonValue.JsonDouble;
import dev.stowage.internal.json.JsonValue.JsonLong;
import dev.stowage.internal.json.JsonValue.JsonNumber;
import java.util.HexFormat;

/** Reads the strings and numbers of a document: the two kinds of token that have a grammar of their own. */
final class JsonTokens {

    private static final int HEX_DIGITS = 4;

    private final JsonText text;
    private final StringBuilder decoded = new StringBuilder();

    JsonTokens(JsonText text) {
        this.text = text;
    }

    /** The string whose opening quote comes next. */
    String string() {
        int open = text.position();
        text.skip(1);
        decoded.setLength(0);
        int plain = text.position();
        while (text.peek() != '"') {
            if (text.isAtEnd()) {
                throw text.errorAt(open, "a string has no closing quote");
            }
            if (text.peek() == '\\') {
                decoded.append(text.since(plain));
                escape();
                plain = text.position();
            } else {
                character();
            }
        }
        String rest = text.since(plain);
        text.skip(1);
        return decoded.isEmpty() ? rest : decoded.append(rest).toString();
    }

    private void character() {
        char c = text.peek();
        if (c < ' ') {
            throw text.error("the control character " + JsonText.codePoint(c)
                    + " inside a string has to be written as an escape");
        }
        if (!Character.isSurrogate(c)) {
            text.skip(1);
        } else if (Character.isSurrogatePair(c, text.peek(1))) {
            text.skip(2);
        } else {
            throw loneSurrogate(c);
        }
    }

    private MalformedDataException loneSurrogate(char c) {
        return text.error("the surrogate " + JsonText.codePoint(c) + " is not one of a pair");
    }

    private void escape() {
        char kind = text.peek(1);
        if (kind == 'u') {
            unicodeEscape();
            return;
        }
        decoded.append(
                switch (kind) {
                    case '"', '\\', '/' -> kind;
                    case 'b' -> '\b';
                    case 'f' -> '\f';
                    case 'n' -> '\n';
                    case 'r' -> '\r';
                    case 't' -> '\t';
                    default -> throw text.error("a backslash in a string has to be followed by one of \"\\/bfnrtu");
                });
        text.skip(2);
    }

    private void unicodeEscape() {
        char first = hex(0);
        if (!Character.isSurrogate(first)) {
            decoded.append(first);
            text.skip(2 + HEX_DIGITS);
            return;
        }
        int length = 2 + HEX_DIGITS;
        boolean another = text.peek(length) == '\\' && text.peek(length + 1) == 'u';
        if (!another || !Character.isSurrogatePair(first, hex(length))) {
            throw loneSurrogate(first);
        }
        decoded.append(first).append(hex(length));
        text.skip(2 * length);
    }

    private char hex(int ahead) {
        int value = 0;
        for (int i = 0; i < HEX_DIGITS; i++) {
            char digit = text.peek(ahead + 2 + i);
            if (!HexFormat.isHexDigit(digit)) {
                text.skip(ahead);
                throw text.error("\\u in a string has to be followed by four hexadecimal digits");
            }
            value = value << 4 | HexFormat.fromHexDigit(digit);
        }
        return (char) value;
    }

    /** The number whose first digit or sign comes next. */
    JsonNumber number() {
        int start = text.position();
        boolean negative = text.skipIf('-');
        boolean zero = text.skipIf('0');
        if (!zero) {
            digits("a digit");
        } else if (isDigit(text.peek())) {
            throw text.error("a number with more than one digit must not begin with 0");
        }
        boolean whole = true;
        if (text.skipIf('.')) {
            digits("a digit after the decimal point");
            whole = false;
        }
        if (text.skipIf('e') || text.skipIf('E')) {
            if (!text.skipIf('+')) {
                text.skipIf('-');
            }
            digits("a digit of the exponent");
            whole = false;
        }
        return whole && !(negative && zero) ? exact(start) : nearest(start);
    }

    private void digits(String expected) {
        if (!isDigit(text.peek())) {
            throw text.error("expected " + expected + ", found " + text.found());
        }
        while (isDigit(text.peek())) {
            text.skip(1);
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private JsonLong exact(int start) {
        String digits = text.since(start);
        try {
            return new JsonLong(Long.parseLong(digits));
        } catch (NumberFormatException _) {
            throw text.errorAt(
                    start,
                    "the whole number " + JsonText.quoted(digits) + " is outside " + Long.MIN_VALUE + " to "
                            + Long.MAX_VALUE + "; write it with an exponent if the nearest double will do");
        }
    }

    private JsonDouble nearest(int start) {
        String digits = text.since(start);
        double value = Double.parseDouble(digits);
        if (Double.isInfinite(value)) {
            throw text.errorAt(
                    start,
                    "the number " + JsonText.quoted(digits) + " is beyond the largest double, " + Double.MAX_VALUE);
        }
        return new JsonDouble(value);
    }
}
