package dev.stowage.llm.chat.jinja;

/** The escape sequences of strings in templates, which are those of Python. */
final class Escapes {

    private static final String LETTERS = "ntrabfv0\\'\"";
    private static final String MEANINGS = "\n\t\r\u0007\b\f\u000b\0\\'\"";

    private Escapes() {}

    static String resolve(String text, int line) {
        StringBuilder out = new StringBuilder();
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (c != '\\' || i + 1 == text.length()) {
                out.append(c);
                i++;
                continue;
            }
            char letter = text.charAt(i + 1);
            int digits = digits(letter);
            int known = LETTERS.indexOf(letter);
            if (digits > 0) {
                out.appendCodePoint(hex(text, i + 2, digits, line));
            } else if (known >= 0) {
                out.append(MEANINGS.charAt(known));
            } else if (letter != '\n') {
                out.append(c).append(letter);
            }
            i += 2 + digits;
        }
        return out.toString();
    }

    /** How many hexadecimal digits follow a letter. */
    private static int digits(char letter) {
        return switch (letter) {
            case 'x' -> 2;
            case 'u' -> 4;
            case 'U' -> 8;
            default -> 0;
        };
    }

    private static int hex(String text, int from, int digits, int line) {
        int value = 0;
        for (int i = from; i < from + digits; i++) {
            int digit = i < text.length() ? Character.digit(text.charAt(i), 16) : -1;
            value = value * 16 + digit;
            if (digit < 0 || value > Character.MAX_CODE_POINT) {
                throw new TemplateError("a string with an escape sequence that is not complete", line);
            }
        }
        return value;
    }
}
