package dev.stowage.internal.json;

import dev.stowage.error.MalformedDataException;
import java.util.Locale;

/** Writes strings as JSON does: in quotes, with escapes for what must not stand there plainly, and for nothing else. */
final class JsonStrings {

    private JsonStrings() {}

    /**
     * The string in quotes.
     *
     * @throws MalformedDataException if the string is not valid Unicode
     */
    static String literal(String string) {
        StringBuilder literal = new StringBuilder(string.length() + 2).append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (Character.isSurrogate(c)) {
                if (i + 1 == string.length() || !Character.isSurrogatePair(c, string.charAt(i + 1))) {
                    throw new MalformedDataException("the string " + JsonText.quoted(string)
                            + " cannot be written: the surrogate " + JsonText.codePoint(c) + " at " + i
                            + " is not one of a pair");
                }
                literal.append(c).append(string.charAt(++i));
            } else {
                append(literal, c);
            }
        }
        return literal.append('"').toString();
    }

    private static void append(StringBuilder literal, char c) {
        switch (c) {
            case '"' -> literal.append("\\\"");
            case '\\' -> literal.append("\\\\");
            case '\b' -> literal.append("\\b");
            case '\f' -> literal.append("\\f");
            case '\n' -> literal.append("\\n");
            case '\r' -> literal.append("\\r");
            case '\t' -> literal.append("\\t");
            default -> {
                if (c < ' ') {
                    literal.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
                } else {
                    literal.append(c);
                }
            }
        }
    }
}
