package dev.stowage.picture;

import static dev.stowage.picture.PictureFrame.HEADROOM;
import static dev.stowage.picture.PictureFrame.LEFT;
import static dev.stowage.picture.PictureFrame.LETTER;
import static dev.stowage.picture.PictureFrame.MARGIN;
import static dev.stowage.picture.PictureFrame.WIDTH;

import dev.stowage.packing.Problem;
import dev.stowage.packing.Solution;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Draws the SVG of a solution, with a style sheet for light and dark. */
final class SolutionSvg {

    private static final int HEIGHT = 420;
    private static final int CAPTION = 30;
    private static final int AXIS = 34;
    private static final int LEGEND = 30;
    private static final int TOP = MARGIN + CAPTION;
    private static final int BASE = TOP + HEIGHT;
    private static final int MOMENTS = 8;

    /** Up to so many buffers, each has its words: who zooms in will find them. */
    private static final int FEW = 2000;

    /** With more of them, those have words that can be pointed at after zooming in a little. */
    private static final double SMALLEST_TARGET = 0.75;

    /** What is thinner than this has no outline, because nothing would be left of it. */
    private static final double OUTLINED = 1.5;

    private static final double THINNEST = 0.4;

    private static final String STYLE = PictureStyle.sheet("""
            .usual { fill: #5b95d8; } .atPeak { fill: #c4861c; } .fixed { fill: #8b93a1; }
            .thin:hover { stroke: #1b2430; stroke-width: 2; } .tiny { pointer-events: none; }
            """, """
            .thin:hover { stroke: #e7ebf1; }
            """);

    private final Problem problem;
    private final Solution solution;
    private final long lowerBound;
    private final PeakMoment peak;
    private final double begin;
    private final double span;
    private final StringBuilder out = new StringBuilder();

    SolutionSvg(Problem problem, Solution solution, long lowerBound) {
        this.problem = problem;
        this.solution = solution;
        this.lowerBound = lowerBound;
        this.peak = PeakMoment.of(problem);
        double first = Double.POSITIVE_INFINITY;
        double last = Double.NEGATIVE_INFINITY;
        for (int buffer = 0; buffer < problem.count(); buffer++) {
            first = Math.min(first, (double) problem.from(buffer));
            last = Math.max(last, (double) problem.to(buffer));
        }
        this.begin = problem.count() == 0 ? 0 : first;
        // Moments beyond 2^53 may fall together.
        this.span = Math.max(1, last - first);
    }

    String draw() {
        append(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">%n",
                LEFT + WIDTH + MARGIN, BASE + AXIS + LEGEND);
        append(
                "<title>Packing of %,d buffers: %s, lower bound %s</title>%n",
                problem.count(), PictureText.size(solution.height()), PictureText.size(lowerBound));
        out.append(STYLE);
        append("<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>%n");
        if (solution.height() == 0) {
            append("<text x=\"%d\" y=\"%d\">This packing needs no memory.</text>%n", LEFT, TOP);
            return out.append("</svg>\n").toString();
        }
        append("<rect class=\"ground\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>%n", LEFT, TOP, WIDTH, HEIGHT);
        axes();
        int tiny = tinyBuffers();
        for (int buffer = 0; buffer < problem.count(); buffer++) {
            if (hasWords(buffer)) {
                block(buffer);
            }
        }
        for (int buffer = 0; buffer < problem.count(); buffer++) {
            if (hasWords(buffer)) {
                label(buffer);
            }
        }
        lines();
        caption(tiny);
        legend();
        return out.append("</svg>\n").toString();
    }

    private double x(long moment) {
        return LEFT + WIDTH * ((moment - begin) / span);
    }

    private double y(long offset) {
        return BASE - HEIGHT * (offset / (solution.height() * HEADROOM));
    }

    private double width(int buffer) {
        return Math.max(THINNEST, x(problem.to(buffer)) - x(problem.from(buffer)));
    }

    private double height(int buffer) {
        return Math.max(THINNEST, y(0) - y(problem.size(buffer)));
    }

    private double top(int buffer) {
        return y(solution.offset(buffer) + problem.size(buffer));
    }

    private boolean hasWords(int buffer) {
        return problem.size(buffer) > 0
                && (problem.count() <= FEW || Math.min(width(buffer), height(buffer)) >= SMALLEST_TARGET);
    }

    private String kind(int buffer) {
        if (problem.isFixed(buffer)) {
            return "fixed";
        }
        return peak.holds(problem, buffer) ? "atPeak" : "usual";
    }

    private void axes() {
        out.append(PictureFrame.addresses(solution.height(), this::y));
        double moments = PictureScale.roundStep((long) Math.ceil(span / MOMENTS));
        double first = Math.ceil(begin / moments) * moments;
        for (int i = 0; i <= MOMENTS && first + i * moments <= begin + span; i++) {
            double moment = first + i * moments;
            append(
                    "<text class=\"quiet middle\" x=\"%.2f\" y=\"%d\">%,.0f</text>%n",
                    LEFT + WIDTH * ((moment - begin) / span), BASE + 20, moment);
        }
        append("<text class=\"quiet right\" x=\"%d\" y=\"%d\">time</text>%n", LEFT - 18, BASE + 20);
    }

    /** Draws all buffers that have no words, those of a kind in one path; returns how many there are. */
    private int tinyBuffers() {
        Map<String, Set<String>> outlines = new LinkedHashMap<>();
        int count = 0;
        for (int buffer = 0; buffer < problem.count(); buffer++) {
            if (problem.size(buffer) > 0 && !hasWords(buffer)) {
                count++;
                String outline = String.format(
                        Locale.ROOT,
                        "M%.1f %.1fh%.1fv%.1fh-%.1fz",
                        x(problem.from(buffer)),
                        top(buffer),
                        width(buffer),
                        height(buffer),
                        width(buffer));
                // Thousands of specks may fall on the same spot.
                outlines.computeIfAbsent(kind(buffer), _ -> new LinkedHashSet<>())
                        .add(outline);
            }
        }
        outlines.forEach((kind, paths) -> append("<path class=\"tiny %s\" d=\"%s\"/>%n", kind, String.join("", paths)));
        return count;
    }

    private void block(int buffer) {
        append(
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" class=\"%s %s\"><title>%s</title></rect>%n",
                x(problem.from(buffer)),
                top(buffer),
                width(buffer),
                height(buffer),
                Math.min(width(buffer), height(buffer)) >= OUTLINED ? "block" : "thin",
                kind(buffer),
                PictureText.escaped(title(buffer)));
    }

    private String title(int buffer) {
        return String.format(
                Locale.ROOT,
                "%s\n%s (%,d bytes) at %,d%s\nlive in [%,d, %,d)",
                problem.id(buffer),
                PictureText.size(problem.size(buffer)),
                problem.size(buffer),
                solution.offset(buffer),
                problem.isFixed(buffer) ? ", fixed" : "",
                problem.from(buffer),
                problem.to(buffer));
    }

    /** The name within the rectangle, where it fits. */
    private void label(int buffer) {
        String id = problem.id(buffer);
        if (height(buffer) >= 13 && 8 + id.length() * LETTER <= width(buffer)) {
            append(
                    "<text class=\"label\" x=\"%.2f\" y=\"%.2f\">%s</text>%n",
                    x(problem.from(buffer)) + 4, top(buffer) + 11, PictureText.escaped(id));
        }
    }

    private void lines() {
        double moment = (x(peak.from()) + x(peak.to())) / 2;
        append("<path class=\"bound peak\" d=\"M%.2f %.2fV%d\"/>%n", moment, y(peak.load()), BASE);
        String height = "height " + PictureText.size(solution.height());
        if (lowerBound == solution.height()) {
            level(solution.height(), height + " = lower bound", "plan", -5);
        } else {
            level(lowerBound, "lower bound " + PictureText.size(lowerBound), "bound", 14);
            level(solution.height(), height, "plan", -5);
        }
    }

    private void level(long offset, String text, String kind, int shift) {
        out.append(PictureFrame.level(y(offset), text, kind, shift));
    }

    private void caption(int tiny) {
        append("<text class=\"title\" x=\"%d\" y=\"%d\">%,d buffers</text>%n", LEFT, MARGIN + 20, problem.count());
        append(
                "<text class=\"quiet right\" x=\"%d\" y=\"%d\">%,d bytes, at most %,d live at once%s</text>%n",
                LEFT + WIDTH,
                MARGIN + 20,
                solution.height(),
                peak.load(),
                tiny == 0 ? "" : String.format(Locale.ROOT, "; %,d buffers too small for words", tiny));
    }

    private void legend() {
        double x = LEFT;
        String[][] entries = {
            {"atPeak", "live at the fullest moment"}, {"usual", "live at other times"}, {"fixed", "at a given offset"}
        };
        int top = BASE + AXIS;
        for (String[] entry : entries) {
            append("<path class=\"%s\" d=\"M%.1f %dh22v12h-22z\"/>", entry[0], x, top);
            x = entry(entry[1], x, top);
        }
        append("<path class=\"bound peak\" d=\"M%.1f %dv12\"/>", x + 11, top);
        entry("the fullest moment", x, top);
    }

    private double entry(String name, double x, int top) {
        out.append(PictureFrame.legendEntry(name, x, top));
        return PictureFrame.afterEntry(name, x);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency
    private void append(String format, Object... arguments) {
        out.append(String.format(Locale.ROOT, format, arguments));
    }
}
