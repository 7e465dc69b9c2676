package dev.stowage.internal.json;

import dev.stowage.error.MalformedDataException;
import java.util.Locale;

/**
 * The text that a {@link JsonReader} reads, and the current position. Lines and columns are computed only for error
 * messages.
 */
final class JsonText {

    /** What {@link #peek()} returns after the last character; never valid in a document. */
    static final char END = '\uffff';

    private static final int LONGEST_QUOTE = 40;

    private final String text;
    private final int firstLine;
    private int position;

    JsonText(String text, int firstLine) {
        this.text = text;
        this.firstLine = firstLine;
    }

    int position() {
        return position;
    }

    boolean isAtEnd() {
        return position == text.length();
    }

    /** The character to be read next, or {@link #END}. */
    char peek() {
        return peek(0);
    }

    /** The character {@code ahead} places after the next one, or {@link #END}. */
    char peek(int ahead) {
        return position + ahead < text.length() ? text.charAt(position + ahead) : END;
    }

    void skip(int count) {
        position += count;
    }

    boolean skipIf(char expected) {
        if (isAtEnd() || text.charAt(position) != expected) {
            return false;
        }
        position++;
        return true;
    }

    void skipSpace() {
        while (isSpace(peek())) {
            position++;
        }
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }

    boolean startsWith(String word) {
        return text.startsWith(word, position);
    }

    /** What was read since {@code start}. */
    String since(int start) {
        return text.substring(start, position);
    }

    /** The next character, for a message. */
    String found() {
        if (isAtEnd()) {
            return "the end of the text";
        }
        int c = text.codePointAt(position);
        return c > ' ' && c < 0x7f ? "'" + (char) c + "'" : codePoint(c);
    }

    static String codePoint(int c) {
        return String.format(Locale.ROOT, "U+%04X", c);
    }

    /** A string in quotes, cut where it is long. */
    static String quoted(String string) {
        if (string.length() <= LONGEST_QUOTE) {
            return '"' + string + '"';
        }
        int end = Character.isHighSurrogate(string.charAt(LONGEST_QUOTE - 1)) ? LONGEST_QUOTE - 1 : LONGEST_QUOTE;
        return '"' + string.substring(0, end) + "...\"";
    }

    MalformedDataException error(String reason) {
        return errorAt(position, reason);
    }

    MalformedDataException errorAt(int where, String reason) {
        int line = firstLine;
        int lineStart = 0;
        for (int i = 0; i < where; i++) {
            char c = text.charAt(i);
            if (c == '\n' || (c == '\r' && !(i + 1 < text.length() && text.charAt(i + 1) == '\n'))) {
                line++;
                lineStart = i + 1;
            }
        }
        int column = text.codePointCount(lineStart, where) + 1;
        return new MalformedDataException("line " + line + ", column " + column + ": " + reason);
    }
}
