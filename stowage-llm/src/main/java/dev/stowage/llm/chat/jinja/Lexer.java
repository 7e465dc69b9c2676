package dev.stowage.llm.chat.jinja;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Cuts a template into tokens, and removes white space around tags: all of it at a {@code -}, and, unless there is a
 * {@code +}, that between the start of a line and a statement or comment ({@code lstrip_blocks}) and the line feed right
 * after one ({@code trim_blocks}).
 */
final class Lexer {

    private final SourceText source;
    private final List<Token> tokens = new ArrayList<>();

    /** Whether what was read last ended with a line feed, or nothing was read. */
    private boolean atLineStart = true;

    private Lexer(String template) {
        String unix = template.replace("\r\n", "\n").replace('\r', '\n');
        this.source = new SourceText(unix.endsWith("\n") ? unix.substring(0, unix.length() - 1) : unix);
    }

    static List<Token> tokens(String template) {
        return new Lexer(template).read();
    }

    private List<Token> read() {
        while (true) {
            int open = source.nextOpening();
            if (open < 0) {
                add(Token.Kind.DATA, source.rest());
                add(Token.Kind.END, "");
                return tokens;
            }
            readData(open);
            switch (source.read(2)) {
                case "{#" -> skipComment();
                case "{{" -> readTag(Token.Kind.PRINT, "}}");
                default -> readStatement();
            }
        }
    }

    /** The text up to a tag. */
    private void readData(int open) {
        int line = source.line();
        String data = source.readTo(open);
        char sign = source.peek(2);
        if (sign == '-') {
            data = data.stripTrailing();
        } else if (sign != '+' && source.peek(1) != '{') {
            data = withoutIndentation(data);
        }
        if (!data.isEmpty()) {
            tokens.add(new Token(Token.Kind.DATA, data, line));
        }
    }

    private String withoutIndentation(String data) {
        int lineStart = data.lastIndexOf('\n') + 1;
        boolean begins = lineStart > 0 || atLineStart;
        return begins && data.substring(lineStart).isBlank() ? data.substring(0, lineStart) : data;
    }

    private void skipSign() {
        if (source.peek(0) == '-' || source.peek(0) == '+') {
            source.read(1);
        }
    }

    private void skipComment() {
        int line = source.line();
        int end = source.indexOf("#}");
        if (end < 0) {
            throw new TemplateError("a comment without '#}'", line);
        }
        String comment = source.readTo(end);
        boolean strips = comment.endsWith("-");
        boolean keeps = comment.endsWith("+");
        source.read(2);
        finishTag(strips, !keeps);
    }

    /** Removes the white space after a tag. */
    private void finishTag(boolean strips, boolean trims) {
        atLineStart = false;
        if (strips) {
            atLineStart = source.skipBlanks();
        } else if (trims && source.peek(0) == '\n') {
            source.read(1);
            atLineStart = true;
        }
    }

    private void readStatement() {
        Optional<Integer> raw = source.matchTag(source.position() - 2, "raw");
        if (raw.isPresent()) {
            readRaw(raw.get());
        } else {
            readTag(Token.Kind.TAG, "%}");
        }
    }

    private void readRaw(int contentStart) {
        int line = source.line();
        String opening = source.readTo(contentStart);
        if (opening.endsWith("-%}")) {
            source.skipBlanks();
        }
        atLineStart = false;
        int from = source.position();
        while (true) {
            int open = source.indexOf("{%", from);
            if (open < 0) {
                throw new TemplateError("'raw' without 'endraw'", line);
            }
            Optional<Integer> end = source.matchTag(open, "endraw");
            if (end.isPresent()) {
                readData(open);
                String tag = source.readTo(end.get());
                finishTag(tag.endsWith("-%}"), !tag.endsWith("+%}"));
                return;
            }
            from = open + 2;
        }
    }

    /** A tag with all tokens in it. */
    private void readTag(Token.Kind kind, String close) {
        int line = source.line();
        add(kind, "");
        skipSign();
        int nesting = 0;
        while (true) {
            source.skipBlanks();
            if (source.atEnd()) {
                throw new TemplateError("a tag without '" + close + "'", line);
            }
            if (nesting == 0 && closes(close)) {
                return;
            }
            Token token = source.readToken();
            nesting += nestingOf(token);
            if (nesting < 0) {
                throw new TemplateError("unexpected '" + token.text() + "'", token.line());
            }
            tokens.add(token);
        }
    }

    private boolean closes(String close) {
        boolean signed = (source.peek(0) == '-' || source.peek(0) == '+') && source.startsWith(close, 1);
        if (!signed && !source.startsWith(close, 0)) {
            return false;
        }
        char sign = signed ? source.peek(0) : ' ';
        if (sign == '+' && close.equals("}}")) {
            return false;
        }
        add(Token.Kind.CLOSE, close);
        source.read(signed ? 3 : 2);
        finishTag(sign == '-', sign != '+' && close.equals("%}"));
        return true;
    }

    private static int nestingOf(Token token) {
        if (token.kind() != Token.Kind.OPERATOR) {
            return 0;
        }
        return switch (token.text()) {
            case "(", "[", "{" -> 1;
            case ")", "]", "}" -> -1;
            default -> 0;
        };
    }

    private void add(Token.Kind kind, String text) {
        if (kind != Token.Kind.DATA || !text.isEmpty()) {
            tokens.add(new Token(kind, text, source.line()));
        }
    }
}
