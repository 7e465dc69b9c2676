package dev.stowage.picture;

import static dev.stowage.picture.PictureFrame.HEADROOM;
import static dev.stowage.picture.PictureFrame.LEFT;
import static dev.stowage.picture.PictureFrame.LETTER;
import static dev.stowage.picture.PictureFrame.MARGIN;
import static dev.stowage.picture.PictureFrame.WIDTH;

import dev.stowage.graph.Graph;
import dev.stowage.plan.Liveness;
import dev.stowage.plan.MemoryPlan;
import java.util.List;
import java.util.Locale;
import java.util.function.IntConsumer;

/** Draws the SVG of a plan, panel by panel, with a style sheet for light and dark. */
final class PlanPictureSvg {

    private static final int HEIGHT = 360;
    private static final int LEGEND = 30;
    private static final int CAPTION = 30;
    private static final int AXIS = 34;
    private static final double CHAIN_REACH = 18;

    private static final String STYLE = PictureStyle.sheet("""
            .computed { fill: #5b95d8; } .inPlace { fill: #c4861c; } .input { fill: #8b93a1; } .output { fill: #37a068; }
            .view { fill: url(#hatching); stroke: #0a1420; stroke-opacity: 0.75; stroke-width: 0.8; }
            .view:hover { stroke: #1b2430; stroke-width: 2; }
            .chain { stroke: #0a1420; fill: #0a1420; stroke-width: 1.2; pointer-events: none; }
            """, """
            .view:hover { stroke: #e7ebf1; }
            """);

    private static final String HATCHING = """
            <defs><pattern id="hatching" width="6" height="6" patternUnits="userSpaceOnUse" \
            patternTransform="rotate(45)"><rect width="6" height="6" fill="#ffffff" fill-opacity="0.08"/>\
            <line y2="6" stroke="#0a1420" stroke-opacity="0.75"/></pattern></defs>
            """;

    private final MemoryPlan plan;
    private final Graph graph;
    private final PlanPictureTimes times;
    private final StringBuilder out = new StringBuilder();

    PlanPictureSvg(MemoryPlan plan) {
        this.plan = plan;
        this.graph = plan.graph();
        this.times = new PlanPictureTimes(plan);
    }

    String draw() {
        List<PlanPicturePanel> panels = PlanPicturePanel.of(plan, times);
        int panelHeight = CAPTION + HEIGHT + AXIS;
        append(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">%n",
                LEFT + WIDTH + MARGIN, MARGIN + Math.max(1, panels.size()) * panelHeight + LEGEND);
        append(
                "<title>Memory plan by '%s': %s, lower bound %s</title>%n",
                PictureText.escaped(plan.planner()),
                PictureText.size(plan.size()),
                PictureText.size(plan.analysis().lowerBound()));
        out.append(STYLE).append(HATCHING);
        append("<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>%n");
        int top = MARGIN;
        for (PlanPicturePanel panel : panels) {
            new Panel(panel, top).draw();
            top += panelHeight;
        }
        if (panels.isEmpty()) {
            append("<text x=\"%d\" y=\"%d\">This plan needs no memory.</text>%n", LEFT, top + CAPTION);
        }
        legend(MARGIN + Math.max(1, panels.size()) * panelHeight);
        return out.append("</svg>\n").toString();
    }

    private void legend(int top) {
        String[][] entries = {
            {"computed", "computed"}, {"inPlace", "in place of its operand"}, {"input", "input"}, {"output", "output"}
        };
        double x = LEFT;
        for (String[] entry : entries) {
            append("<path class=\"%s\" d=\"M%.1f %dh22v12h-22z\"/>", entry[0], x, top);
            if (entry[0].equals("inPlace")) {
                append("<path class=\"computed\" d=\"M%.1f %dh10v12h-10z\"/>", x, top);
                append("<path class=\"chain\" d=\"M%.1f %dh14\"/>", x + 4, top + 6);
                append("<circle class=\"chain\" cx=\"%.1f\" cy=\"%d\" r=\"2\"/>", x + 10, top + 6);
            }
            x = entry(entry[1], x, top);
        }
        append("<path class=\"computed\" d=\"M%.1f %dh22v12h-22z\"/>", x, top);
        append("<path class=\"view\" d=\"M%.1f %dh18v8h-18z\"/>", x + 2, top + 2);
        x = entry("view", x, top);
        append("<path class=\"bound peak\" d=\"M%.1f %dv12\"/>", x + 11, top);
        entry("where the most is live", x, top);
    }

    private double entry(String name, double x, int top) {
        out.append(PictureFrame.legendEntry(name, x, top));
        return PictureFrame.afterEntry(name, x);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency
    private void append(String format, Object... arguments) {
        out.append(String.format(Locale.ROOT, format, arguments));
    }

    /** One panel, whose top is so far down in the picture. */
    private final class Panel {

        private final PlanPicturePanel panel;
        private final int top;
        private final double base;

        Panel(PlanPicturePanel panel, int top) {
            this.panel = panel;
            this.top = top;
            this.base = (double) top + CAPTION + HEIGHT;
        }

        void draw() {
            caption();
            append(
                    "<rect class=\"ground\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>%n",
                    LEFT, top + CAPTION, WIDTH, HEIGHT);
            axes();
            forEachHere(this::tensor);
            for (int id = 0; id < graph.size(); id++) {
                int source = graph.viewSource(id);
                if (source != Graph.NO_ID && panel.holds(plan, source)) {
                    view(id, source);
                }
            }
            forEachHere(this::chain);
            forEachHere(this::label);
            lines();
        }

        private void forEachHere(IntConsumer action) {
            for (int id = 0; id < graph.size(); id++) {
                if (panel.holds(plan, id) && plan.size(id) > 0) {
                    action.accept(id);
                }
            }
        }

        private double x(double slot) {
            return LEFT + WIDTH * slot / times.slots();
        }

        private double y(long address) {
            return base - HEIGHT * (double) address / (panel.size() * HEADROOM);
        }

        private void caption() {
            int chunks = plan.chunkCount(panel.buffer());
            append(
                    "<text class=\"title\" x=\"%d\" y=\"%d\">%s%s</text>%n",
                    LEFT,
                    top + 20,
                    PictureText.escaped(
                            plan.request().bufferType(panel.buffer()).name()),
                    chunks > 1 ? ", chunk " + panel.chunk() : "");
            append(
                    "<text class=\"quiet right\" x=\"%d\" y=\"%d\">%,d bytes over %,d nodes, at most %,d live at once%s"
                            + "</text>%n",
                    LEFT + WIDTH,
                    top + 20,
                    panel.size(),
                    graph.nodeCount(),
                    panel.mostLive(),
                    chunks > 1
                            ? String.format(
                                    Locale.ROOT,
                                    "; %,d in all chunks",
                                    plan.analysis().lowerBound(panel.buffer()))
                            : "");
        }

        private void axes() {
            out.append(PictureFrame.addresses(panel.size(), this::y));
            int nodes = Math.toIntExact(PictureScale.roundStep(graph.nodeCount() / 12));
            for (int node = 0; node < graph.nodeCount(); node += nodes) {
                append(
                        "<text class=\"quiet middle\" x=\"%.2f\" y=\"%.2f\">%,d</text>%n",
                        x(node + 1.5), base + 20, node);
            }
            append("<text class=\"quiet right\" x=\"%d\" y=\"%.2f\">node</text>%n", LEFT - 7, base + 20);
        }

        private void tensor(int id) {
            double x = x(times.start(id));
            double width = Math.max(0.5, x(times.end(id)) - x);
            double y = y(plan.offset(id) + plan.size(id));
            append(
                    "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" class=\"block %s\"><title>%s</title>"
                            + "</rect>%n",
                    x,
                    y,
                    width,
                    y(plan.offset(id)) - y,
                    PlanPictureText.kind(plan, id),
                    PictureText.escaped(title(id)));
        }

        private String title(int id) {
            String over = plan.inPlaceOf(id) == Graph.NO_ID ? "" : "\nin place of " + graph.label(plan.inPlaceOf(id));
            return String.format(
                    Locale.ROOT,
                    "%s\n%s%s\n%s (%,d bytes) at %,d\n%s to %s%s",
                    graph.label(id),
                    graph.isNode(id) ? graph.op(id) + " " : "",
                    graph.tensor(id).layout(),
                    PictureText.size(plan.size(id)),
                    plan.size(id),
                    plan.offset(id),
                    time(times.from(id)),
                    time(times.to(id)),
                    over);
        }

        private String time(int node) {
            String within = node == graph.nodeCount() ? "after the last node" : "node " + node;
            return node == Liveness.BEFORE ? "before the first node" : within;
        }

        /** A view is drawn in its source, from its node on, as far as there is room to show that. */
        private void view(int id, int source) {
            double x = x(times.start(id));
            double width = x(times.end(id)) - x;
            long offset = plan.offset(source) + graph.tensor(id).viewOffset();
            double y = y(offset + graph.tensor(id).byteSize());
            double height = y(offset) - y;
            if (width < 4 || height < 4) {
                return;
            }
            double inset = Math.min(2, Math.min(width, height) / 6);
            append(
                    "<path class=\"view\" d=\"M%.2f %.2fh%.2fv%.2fh%.2fz\"><title>%s</title></path>%n",
                    x + inset,
                    y + inset,
                    width - 2 * inset,
                    height - 2 * inset,
                    2 * inset - width,
                    PictureText.escaped(graph.label(id) + "\n" + graph.op(id) + " "
                            + graph.tensor(id).layout() + "\nview of " + graph.label(source)));
        }

        /** A line from an operand to the result that took its place, with a bead where the one becomes the other. */
        private void chain(int id) {
            int operand = plan.inPlaceOf(id);
            double height = operand == Graph.NO_ID ? 0 : y(0) - y(Math.min(plan.size(id), plan.size(operand)));
            if (height < 3) {
                return;
            }
            double y = y(plan.offset(id)) - height / 2;
            double joint = x(times.start(id));
            double from = Math.max((x(times.start(operand)) + joint) / 2, joint - CHAIN_REACH);
            double to = Math.min((joint + x(times.end(id))) / 2, joint + CHAIN_REACH);
            append("<path class=\"chain\" d=\"M%.2f %.2fH%.2f\"/>", from, y, to);
            append(
                    "<circle class=\"chain\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"/>%n",
                    joint, y, Math.min(2, Math.min(height, to - from) / 3));
        }

        /** The name within the rectangle, where it fits, and beside the line of a chain where that is in its way. */
        private void label(int id) {
            double x = x(times.start(id));
            double width = x(times.end(id)) - x;
            double height = y(0) - y(plan.size(id));
            String name = graph.label(id);
            double shift = plan.inPlaceOf(id) != Graph.NO_ID && height < 30 ? CHAIN_REACH + 6 : 4;
            if (height >= 13 && shift + name.length() * LETTER <= width) {
                append(
                        "<text class=\"label\" x=\"%.2f\" y=\"%.2f\">%s</text>%n",
                        x + shift, y(plan.offset(id) + plan.size(id)) + 11, PictureText.escaped(name));
            }
        }

        private void lines() {
            double slot = x(panel.peak() + 1.5);
            append("<path class=\"bound peak\" d=\"M%.2f %.2fV%.2f\"/>%n", slot, y(panel.mostLive()), base);
            String bound = plan.chunkCount(panel.buffer()) > 1 ? "most live at once" : "lower bound";
            boolean isTight = panel.mostLive() == panel.size();
            if (!isTight) {
                level(panel.mostLive(), bound + " " + PictureText.size(panel.mostLive()), "bound", 14);
            }
            String plans = "plan " + PictureText.size(panel.size());
            level(panel.size(), isTight ? plans + " = " + bound : plans, "plan", -5);
        }

        private void level(long address, String text, String kind, int shift) {
            out.append(PictureFrame.level(y(address), text, kind, shift));
        }
    }
}
