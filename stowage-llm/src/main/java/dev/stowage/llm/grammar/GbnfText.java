package dev.stowage.llm.grammar;

import dev.stowage.error.MalformedDataException;

/** The text of a grammar in GBNF and the current position, with what may be between its parts. */
final class GbnfText {

    static final int END = -1;

    private final String text;
    private int position;

    GbnfText(String text) {
        this.text = text;
    }

    int position() {
        return position;
    }

    boolean isAtEnd() {
        return position == text.length();
    }

    /** The character to be read next, or {@link #END}. */
    int peek() {
        return isAtEnd() ? END : text.codePointAt(position);
    }

    int read() {
        int c = peek();
        position += c == END ? 0 : Character.charCount(c);
        return c;
    }

    boolean skipIf(String expected) {
        if (!text.startsWith(expected, position)) {
            return false;
        }
        position += expected.length();
        return true;
    }

    void expect(String expected, String where) {
        if (!skipIf(expected)) {
            throw error("expected '" + expected + "' " + where + ", found " + found());
        }
    }

    /** Skips blanks and comments, and ends of lines where they have no meaning. */
    void skipSpace(boolean lines) {
        while (!isAtEnd()) {
            int c = peek();
            if (c == '#') {
                while (!isAtEnd() && peek() != '\n' && peek() != '\r') {
                    read();
                }
            } else if (c == ' ' || c == '\t' || (lines && (c == '\n' || c == '\r'))) {
                position++;
            } else {
                return;
            }
        }
    }

    /** Skips everything up to a bar on one of the next lines, if that is what follows. */
    boolean skipToBar() {
        int before = position;
        skipSpace(true);
        if (skipIf("|")) {
            return true;
        }
        position = before;
        return false;
    }

    /** Whether the next rule begins here. */
    boolean startsRule() {
        if (name().isEmpty()) {
            return false;
        }
        skipSpace(false);
        return text.startsWith("::=", position);
    }

    void moveTo(int changed) {
        position = changed;
    }

    /** The name that comes next, or an empty one. */
    String name() {
        int start = position;
        while (isName(peek())) {
            position++;
        }
        return text.substring(start, position);
    }

    private static boolean isName(int c) {
        return isLetterOrDigit(c) || c == '-' || c == '_';
    }

    static boolean isLetterOrDigit(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    /** The next character, for a message. */
    String found() {
        if (isAtEnd()) {
            return "the end of the grammar";
        }
        int c = peek();
        return c == '\n' || c == '\r' ? "the end of the line" : "'" + Character.toString(c) + "'";
    }

    String place(int at) {
        int line = 1;
        int begin = 0;
        for (int i = 0; i < at; i++) {
            if (text.charAt(i) == '\n') {
                line++;
                begin = i + 1;
            }
        }
        return "line " + line + ", column " + (text.codePointCount(begin, at) + 1);
    }

    MalformedDataException error(String message) {
        return errorAt(position, message);
    }

    MalformedDataException errorAt(int at, String message) {
        return new MalformedDataException(place(at) + " of the grammar: " + message);
    }
}
