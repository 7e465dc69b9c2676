package dev.stowage.llm.chat.jinja;

import java.util.BitSet;
import java.util.Locale;

/**
 * A string that knows which of its characters came from a message and which from the template. Every operation keeps
 * that, so that a control token is one only where the template wrote it, whatever the template did to the messages.
 * Positions in templates count code points, positions in this class {@code char}s.
 */
public final class Text implements Value.Characters {

    /** No text may be longer, whatever the template does. */
    static final int MAX_LENGTH = 1 << 24;

    static final Text EMPTY = of("");

    private final String chars;

    /** The characters that came from a message; never changed. */
    private final BitSet said;

    private Text(String chars, BitSet said) {
        this.chars = chars;
        this.said = said;
    }

    /** A text of the template. */
    public static Text of(String chars) {
        return new Text(chars, new BitSet(0));
    }

    /** A text of a message. */
    public static Text said(String chars) {
        BitSet all = new BitSet(chars.length());
        all.set(0, chars.length());
        return new Text(chars, all);
    }

    /** The characters. */
    public String chars() {
        return chars;
    }

    /** The indices of the characters that came from a message. */
    public BitSet said() {
        return (BitSet) said.clone();
    }

    @Override
    public long weight() {
        return 1L + chars.length() / 64;
    }

    @Override
    public String type() {
        return "str";
    }

    boolean isSaid(int index) {
        return said.get(index);
    }

    /** The length in code points. */
    int points() {
        return chars.codePointCount(0, chars.length());
    }

    /** The index of the {@code char} that a code point begins at. */
    int offset(int point) {
        return chars.offsetByCodePoints(0, point);
    }

    /** The characters from one index to another. */
    Text slice(int from, int to) {
        if (from == 0 && to == chars.length()) {
            return this;
        }
        return from >= to ? EMPTY : new Text(chars.substring(from, to), said.get(from, to));
    }

    Text concat(Text other) {
        return new Builder().append(this).append(other).build();
    }

    /** Without the characters of a set at the sides that are named; without blanks if the set is empty. */
    Text strip(String set, boolean left, boolean right) {
        int from = 0;
        int to = chars.length();
        while (left && from < to && strips(set, chars.charAt(from))) {
            from++;
        }
        while (right && to > from && strips(set, chars.charAt(to - 1))) {
            to--;
        }
        return slice(from, to);
    }

    private static boolean strips(String set, char c) {
        return set.isEmpty() ? isBlank(c) : set.indexOf(c) >= 0;
    }

    static boolean isBlank(char c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == 0x85;
    }

    /** With some occurrences replaced, from the left; all of them if the limit is negative. */
    Text replace(Text old, Text by, long limit) {
        Builder out = new Builder();
        long left = limit < 0 ? Long.MAX_VALUE : limit;
        int from = 0;
        int at = chars.indexOf(old.chars);
        while (at >= 0 && left-- > 0) {
            out.append(slice(from, at)).append(by);
            from = at + old.chars.length();
            if (!old.chars.isEmpty()) {
                at = chars.indexOf(old.chars, from);
            } else if (at == chars.length()) {
                break;
            } else {
                at = chars.offsetByCodePoints(at, 1);
            }
        }
        return out.append(slice(from, chars.length())).build();
    }

    Text upper() {
        return mapped(chars.toUpperCase(Locale.ROOT));
    }

    Text lower() {
        return mapped(chars.toLowerCase(Locale.ROOT));
    }

    /** The same characters in another case; where that changed how many they are, all of them count as said. */
    private Text mapped(String changed) {
        if (said.isEmpty()) {
            return of(changed);
        }
        return changed.length() == chars.length() ? new Text(changed, said) : said(changed);
    }

    /** The first letter of every run of letters in upper case, or of the first only, and all others in lower case. */
    Text capitalized(boolean everyWord, String boundaries) {
        Builder out = new Builder();
        boolean start = true;
        for (int i = 0; i < chars.length(); i++) {
            Text one = slice(i, i + 1);
            out.append(start ? one.upper() : one.lower());
            char c = chars.charAt(i);
            start = everyWord && (boundaries.isEmpty() ? !Character.isLetter(c) : isBoundary(boundaries, c));
        }
        return out.build();
    }

    private static boolean isBoundary(String boundaries, char c) {
        return isBlank(c) || boundaries.indexOf(c) >= 0;
    }

    /** By characters alone: where they came from does not matter to a template. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Text text && text.chars.equals(chars);
    }

    @Override
    public int hashCode() {
        return chars.hashCode();
    }

    @Override
    public String toString() {
        return chars;
    }

    /** Puts a text together from others. */
    static final class Builder {

        private final StringBuilder chars = new StringBuilder();
        private final BitSet said = new BitSet();

        Builder append(Text text) {
            int start = grow(text.chars.length());
            for (int from = text.said.nextSetBit(0); from >= 0; ) {
                int to = text.said.nextClearBit(from);
                said.set(start + from, start + to);
                from = text.said.nextSetBit(to);
            }
            chars.append(text.chars);
            return this;
        }

        /** Appends characters of the template. */
        Builder append(String text) {
            return append(text, false);
        }

        Builder append(String text, boolean isSaid) {
            int start = grow(text.length());
            said.set(start, start + text.length(), isSaid);
            chars.append(text);
            return this;
        }

        private int grow(int more) {
            if (chars.length() + (long) more > MAX_LENGTH) {
                throw new TemplateError("a text of more than " + MAX_LENGTH + " characters");
            }
            return chars.length();
        }

        Text build() {
            return new Text(chars.toString(), (BitSet) said.clone());
        }
    }
}
