package dev.stowage.picture;

import java.util.Locale;
import java.util.function.LongToDoubleFunction;

/** The frame of a picture of memory over time: address axis, levels, legend. */
public final class PictureFrame {

    /** The left edge of the time axis; addresses are to the left of it. */
    public static final int LEFT = 76;

    /** The width of the time axis. */
    public static final int WIDTH = 960;

    /** What stays free around it all. */
    public static final int MARGIN = 20;

    /** How much higher the background is than its contents, to leave space for labels. */
    public static final double HEADROOM = 1.08;

    /** About how wide a letter is. */
    public static final double LETTER = 6.2;

    private PictureFrame() {}

    /** A line for every round address up to a size, with the address beside it. */
    public static String addresses(long size, LongToDoubleFunction y) {
        StringBuilder out = new StringBuilder();
        long step = Long.highestOneBit(Math.max(1, size / 4));
        for (long address = 0; address >= 0 && address <= size; address += step) {
            double at = y.applyAsDouble(address);
            out.append(String.format(
                    Locale.ROOT,
                    "<path class=\"grid\" d=\"M%d %.2fh%d\"/><text class=\"quiet right\" x=\"%d\" y=\"%.2f\">%s</text>%n",
                    LEFT,
                    at,
                    WIDTH,
                    LEFT - 7,
                    at + 4,
                    PictureText.size(address).replace(".00", "")));
        }
        return out.toString();
    }

    /** A line across all time with words at its right end, so far below it. */
    public static String level(double y, String text, String kind, int shift) {
        double width = text.length() * LETTER + 10;
        return String.format(
                        Locale.ROOT,
                        "<path class=\"%s\" d=\"M%d %.2fh%d\"/><path class=\"plate\" d=\"M%.2f %.2fh%.2fv15h-%.2fz\"/>",
                        kind,
                        LEFT,
                        y,
                        WIDTH,
                        LEFT + WIDTH - width - 4,
                        y + shift - 12,
                        width,
                        width)
                + String.format(
                        Locale.ROOT,
                        "<text class=\"%s right\" x=\"%d\" y=\"%.2f\">%s</text>%n",
                        kind,
                        LEFT + WIDTH - 9,
                        y + shift,
                        text);
    }

    /** The words of an entry of the legend; its sign is drawn by the caller. */
    public static String legendEntry(String name, double x, int top) {
        return String.format(
                Locale.ROOT, "<text class=\"quiet\" x=\"%.1f\" y=\"%d\">%s</text>%n", x + 28, top + 10, name);
    }

    /** Where the entry after this one begins. */
    public static double afterEntry(String name, double x) {
        return x + 28 + name.length() * LETTER + 18;
    }
}
