package dev.stowage.llm.chat.jinja;

import java.util.Optional;

/** The text of a template and a position in it, with the line; reads the tokens inside of tags. */
final class SourceText {

    private static final String[] OPERATORS = {
        "**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "~", "<", ">", "=", ".", ",", ":", "|", "(", ")",
        "[", "]", "{", "}", ";"
    };

    private final String text;
    private int position;
    private int line = 1;

    SourceText(String text) {
        this.text = text;
    }

    int position() {
        return position;
    }

    int line() {
        return line;
    }

    boolean atEnd() {
        return position == text.length();
    }

    /** The character some places ahead, NUL after the end. */
    char peek(int ahead) {
        return position + ahead < text.length() ? text.charAt(position + ahead) : 0;
    }

    boolean startsWith(String prefix, int ahead) {
        return text.startsWith(prefix, position + ahead);
    }

    int indexOf(String searched) {
        return indexOf(searched, position);
    }

    int indexOf(String searched, int from) {
        return text.indexOf(searched, from);
    }

    /** Where the next tag or comment begins, negative if none does. */
    int nextOpening() {
        for (int at = text.indexOf('{', position); at >= 0; at = text.indexOf('{', at + 1)) {
            char next = at + 1 < text.length() ? text.charAt(at + 1) : 0;
            if (next == '{' || next == '%' || next == '#') {
                return at;
            }
        }
        return -1;
    }

    String rest() {
        return text.substring(position);
    }

    String read(int count) {
        return readTo(position + count);
    }

    String readTo(int end) {
        String read = text.substring(position, end);
        line += (int) read.chars().filter(c -> c == '\n').count();
        position = end;
        return read;
    }

    /** Skips white space; whether the last of it was a line feed. */
    boolean skipBlanks() {
        int end = position;
        while (end < text.length() && Text.isBlank(text.charAt(end))) {
            end++;
        }
        return readTo(end).endsWith("\n");
    }

    /** The end of a tag that consists of one name, if there is one at an index. */
    Optional<Integer> matchTag(int start, String name) {
        int at = start + 2;
        if (at < text.length() && (text.charAt(at) == '-' || text.charAt(at) == '+')) {
            at++;
        }
        at = afterBlanks(at);
        if (!text.startsWith(name, at)) {
            return Optional.empty();
        }
        at = afterBlanks(at + name.length());
        if (at < text.length() && (text.charAt(at) == '-' || text.charAt(at) == '+')) {
            at++;
        }
        return text.startsWith("%}", at) ? Optional.of(at + 2) : Optional.empty();
    }

    private int afterBlanks(int from) {
        int at = from;
        while (at < text.length() && Text.isBlank(text.charAt(at))) {
            at++;
        }
        return at;
    }

    /** The next token of a tag. */
    Token readToken() {
        int start = line;
        char c = peek(0);
        if (c == '\'' || c == '"') {
            return new Token(Token.Kind.STRING, readString(c), start);
        }
        if (isDigit(c)) {
            return readNumber();
        }
        if (Character.isJavaIdentifierStart(c) && c != '$') {
            int end = position;
            while (end < text.length() && isNamePart(text.charAt(end))) {
                end++;
            }
            return new Token(Token.Kind.NAME, readTo(end), start);
        }
        for (String operator : OPERATORS) {
            if (startsWith(operator, 0)) {
                return new Token(Token.Kind.OPERATOR, read(operator.length()), start);
            }
        }
        throw new TemplateError("unexpected character '" + c + "'", start);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isNamePart(char c) {
        return Character.isJavaIdentifierPart(c) && c != '$';
    }

    private Token readNumber() {
        int start = position;
        int end = afterDigits(start);
        boolean real = end + 1 < text.length() && text.charAt(end) == '.' && isDigit(text.charAt(end + 1));
        if (real) {
            end = afterDigits(end + 1);
        }
        if (end < text.length() && (text.charAt(end) == 'e' || text.charAt(end) == 'E')) {
            int exponent = end + 1;
            if (exponent < text.length() && (text.charAt(exponent) == '-' || text.charAt(exponent) == '+')) {
                exponent++;
            }
            if (exponent < text.length() && isDigit(text.charAt(exponent))) {
                end = afterDigits(exponent);
                real = true;
            }
        }
        int inLine = line;
        String digits = readTo(end).replace("_", "");
        return new Token(real ? Token.Kind.FLOAT : Token.Kind.INTEGER, digits, inLine);
    }

    private int afterDigits(int from) {
        int end = from;
        while (end < text.length() && (isDigit(text.charAt(end)) || text.charAt(end) == '_')) {
            end++;
        }
        return end;
    }

    private String readString(char quote) {
        int start = line;
        int end = position + 1;
        while (end < text.length() && text.charAt(end) != quote) {
            end += text.charAt(end) == '\\' ? 2 : 1;
        }
        if (end >= text.length()) {
            throw new TemplateError("a string without its closing quote", start);
        }
        String quoted = readTo(end + 1);
        String inner = quoted.substring(1, quoted.length() - 1);
        return inner.indexOf('\\') < 0 ? inner : Escapes.resolve(inner, start);
    }
}
