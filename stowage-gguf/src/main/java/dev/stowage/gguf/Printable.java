package dev.stowage.gguf;

import java.util.Locale;

/** Names and strings of a file in a form that can be shown: a file may contain control sequences of terminals. */
public final class Printable {

    private static final int LONGEST = 200;
    private static final int SHOWN = 100;

    private Printable() {}

    /**
     * As {@link #of}, but of a text of more than {@value #LONGEST} characters only the beginning and how many there are: no
     * message carries megabytes of a file.
     */
    public static String brief(String text) {
        if (text.length() <= LONGEST) {
            return of(text);
        }
        int end = Character.isHighSurrogate(text.charAt(SHOWN - 1)) ? SHOWN - 1 : SHOWN;
        return of(text.substring(0, end)) + "... (" + text.length() + " characters)";
    }

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
