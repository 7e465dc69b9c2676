package dev.stowage.picture;

import java.util.Locale;

/** Texts shared by all pictures: sizes, and names that are safe in every format. */
public final class PictureText {

    private PictureText() {}

    /** A number of bytes in the unit that suits it. */
    public static String size(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        int power = (63 - Long.numberOfLeadingZeros(bytes)) / 10;
        double value = bytes / (double) (1L << (10 * power));
        return String.format(Locale.ROOT, "%.2f %ciB", value, "KMGTPE".charAt(power - 1));
    }

    /** Text as it may stand in XML and HTML, in an attribute too. */
    public static String escaped(String text) {
        return wellFormed(text)
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** The text with a replacement character for what no file in UTF-8 and no XML document can hold. */
    public static String wellFormed(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(point -> out.appendCodePoint(isCharacter(point) ? point : 0xFFFD));
        return out.toString();
    }

    private static boolean isCharacter(int point) {
        return point >= ' '
                ? (point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE) && (point & 0xFFFE) != 0xFFFE
                : point == '\t' || point == '\n' || point == '\r';
    }
}
