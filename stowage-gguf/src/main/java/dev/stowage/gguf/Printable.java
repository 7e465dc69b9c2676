package dev.stowage.gguf;

import java.util.Locale;

/** Names and strings of a file in a form that can be shown: a file may contain control sequences of terminals. */
public final class Printable {

    private Printable() {}

    /** The text with everything that could move a cursor, or change what comes after it, written out. */
    public static String of(String text) {
        if (text.codePoints().noneMatch(Printable::isCommand)) {
            return text;
        }
        StringBuilder shown = new StringBuilder();
        text.codePoints().forEach(c -> {
            if (isCommand(c)) {
                shown.append(escape(c));
            } else {
                shown.appendCodePoint(c);
            }
        });
        return shown.toString();
    }

    private static boolean isCommand(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }

    private static String escape(int c) {
        return switch (c) {
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> String.format(Locale.ROOT, "\\u{%x}", c);
        };
    }
}
