package dev.stowage.llm.grammar;

import dev.stowage.error.MalformedDataException;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;

/** The text of a regular expression and the current position, with its characters, escapes and classes. */
final class PatternCharacters {

    static final CodePoints LINE_ENDS = CodePoints.anyOf("\n\r\u2028\u2029");

    private static final CodePoints DIGITS = CodePoints.of('0', '9');
    private static final CodePoints WORDS =
            DIGITS.or(CodePoints.of('a', 'z')).or(CodePoints.of('A', 'Z')).or(CodePoints.of('_'));
    private static final CodePoints SPACES = LINE_ENDS
            .or(CodePoints.anyOf("\t\u000b\f \u00a0\u1680\u202f\u205f\u3000\ufeff"))
            .or(CodePoints.of(0x2000, 0x200A));

    private static final int END = -1;

    private final String text;
    private final Function<String, MalformedDataException> error;
    private int position;

    PatternCharacters(String text, Function<String, MalformedDataException> error) {
        this.text = text;
        this.error = error;
    }

    boolean isAtEnd() {
        return position == text.length();
    }

    /** The character to be read next, or -1. */
    int peek() {
        return isAtEnd() ? END : text.codePointAt(position);
    }

    int read() {
        int c = peek();
        if (c == END) {
            throw error("it ends too early");
        }
        position += Character.charCount(c);
        return c;
    }

    boolean skipIf(String expected) {
        if (!text.startsWith(expected, position)) {
            return false;
        }
        position += expected.length();
        return true;
    }

    MalformedDataException error(String problem) {
        return error.apply("the pattern, at character " + (position + 1) + ": " + problem);
    }

    /** A character, or those that an escape stands for. */
    CodePoints characterOrClass() {
        if (peek() != '\\') {
            return CodePoints.of(read());
        }
        read();
        int kind = read();
        return switch (kind) {
            case 'd' -> DIGITS;
            case 'D' -> DIGITS.complement();
            case 'w' -> WORDS;
            case 'W' -> WORDS.complement();
            case 's' -> SPACES;
            case 'S' -> SPACES.complement();
            case 'n' -> CodePoints.of('\n');
            case 'r' -> CodePoints.of('\r');
            case 't' -> CodePoints.of('\t');
            case 'f' -> CodePoints.of('\f');
            case 'v' -> CodePoints.of(0x0B);
            case 'x' -> CodePoints.of(hex(2));
            case 'u' -> CodePoints.of(hex(4));
            default -> {
                if (GbnfText.isLetterOrDigit(kind)) {
                    throw error("the escape \\" + Character.toString(kind) + " is not supported");
                }
                yield CodePoints.of(kind);
            }
        };
    }

    private int hex(int digits) {
        int value = 0;
        for (int i = 0; i < digits; i++) {
            int digit = read();
            if (!HexFormat.isHexDigit(digit)) {
                throw error("an escape has to have " + digits + " hexadecimal digits");
            }
            value = value << 4 | HexFormat.fromHexDigit(digit);
        }
        return value;
    }

    /** The class whose opening bracket comes next. */
    CodePoints set() {
        read();
        boolean negative = skipIf("^");
        CodePoints set = CodePoints.of(List.of());
        while (peek() != ']') {
            CodePoints first = characterOrClass();
            boolean range = peek() == '-' && position + 1 < text.length() && text.charAt(position + 1) != ']';
            set = set.or(range ? range(first) : first);
        }
        read();
        return negative ? set.complement() : set;
    }

    private CodePoints range(CodePoints first) {
        read();
        CodePoints last = characterOrClass();
        if (!isOne(first) || !isOne(last) || first(last) < first(first)) {
            throw error("a range in a class has to be from one character to a later one");
        }
        return CodePoints.of(first(first), first(last));
    }

    private static boolean isOne(CodePoints set) {
        return set.ranges().size() == 1
                && set.ranges().getFirst().first() == set.ranges().getFirst().last();
    }

    private static int first(CodePoints set) {
        return set.ranges().getFirst().first();
    }
}
