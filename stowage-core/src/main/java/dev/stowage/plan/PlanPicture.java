package dev.stowage.plan;

import dev.stowage.graph.Graph;
import java.util.Locale;

/**
 * A plan drawn as SVG: time runs to the right, node by node, addresses run upwards, and every tensor is the rectangle
 * of the bytes it takes over the time it is needed. What stays empty below the top is memory the plan could not use; the
 * dotted line is the lower bound.
 */
public final class PlanPicture {

    private static final int WIDTH = 960;
    private static final int HEIGHT = 360;
    private static final int MARGIN = 24;
    private static final int CAPTION = 28;

    private final MemoryPlan plan;
    private final Graph graph;
    private final PlanAnalysis analysis;
    private final StringBuilder out = new StringBuilder();

    private PlanPicture(MemoryPlan plan) {
        this.plan = plan;
        this.graph = plan.graph();
        this.analysis = plan.analysis();
    }

    /** The picture as the text of an SVG file, one panel for each chunk of each buffer. */
    public static String svg(MemoryPlan plan) {
        return new PlanPicture(plan).draw();
    }

    private String draw() {
        int panels = 0;
        for (int buffer = 0; buffer < plan.bufferCount(); buffer++) {
            panels += isFirst(buffer) ? plan.chunkCount(buffer) : 0;
        }
        int height = Math.max(1, panels) * (HEIGHT + CAPTION + MARGIN) + MARGIN;
        append(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"13\">%n",
                WIDTH + 2 * MARGIN, height);
        append("<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n");
        int top = MARGIN;
        for (int buffer = 0; buffer < plan.bufferCount(); buffer++) {
            for (int chunk = 0; isFirst(buffer) && chunk < plan.chunkCount(buffer); chunk++) {
                panel(buffer, chunk, top);
                top += HEIGHT + CAPTION + MARGIN;
            }
        }
        return out.append("</svg>\n").toString();
    }

    private boolean isFirst(int buffer) {
        return plan.request().firstWithSameType(buffer) == buffer;
    }

    private void panel(int buffer, int chunk, int top) {
        long size = plan.chunkSize(buffer, chunk);
        long bound = analysis.lowerBound(buffer);
        int base = top + CAPTION + HEIGHT;
        append(
                "<text x=\"%d\" y=\"%d\" fill=\"#222222\">%s, chunk %d: %,d bytes over %,d nodes; lower bound %,d</text>%n",
                MARGIN,
                top + 16,
                escaped(plan.request().bufferType(buffer).name()),
                chunk,
                size,
                graph.nodeCount(),
                bound);
        append(
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#f4f4f2\" stroke=\"#bbbbbb\"/>%n",
                MARGIN, top + CAPTION, WIDTH, HEIGHT);
        for (int id = 0; id < graph.size(); id++) {
            boolean here = plan.isPlanned(id)
                    && plan.request().firstWithSameType(plan.buffer(id)) == buffer
                    && plan.chunk(id) == chunk
                    && plan.size(id) > 0;
            if (here) {
                tensor(id, size, base);
            }
        }
        if (plan.chunkCount(buffer) == 1 && size > 0) {
            double y = base - HEIGHT * (double) bound / size;
            append(
                    "<line x1=\"%d\" x2=\"%d\" y1=\"%.2f\" y2=\"%.2f\" stroke=\"#c0392b\" stroke-dasharray=\"2 3\"/>%n",
                    MARGIN, MARGIN + WIDTH, y, y);
        }
    }

    private void tensor(int id, long chunkSize, int base) {
        Liveness liveness = analysis.liveness();
        int slots = graph.nodeCount() + 2;
        int from = liveness.from(id) + 1;
        int to = Math.min(analysis.lastCounted(id) + 2, slots);
        double x = MARGIN + (double) WIDTH * from / slots;
        double width = Math.max(0.5, (double) WIDTH * (to - from) / slots);
        double height = HEIGHT * (double) plan.size(id) / chunkSize;
        double y = base - HEIGHT * (double) plan.offset(id) / chunkSize - height;
        append(
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" stroke=\"#ffffff\""
                        + " stroke-width=\"0.6\"><title>%s%n%s %s%n%,d bytes at %,d%nnodes %d to %d%s</title></rect>%n",
                x,
                y,
                width,
                height,
                colour(id),
                escaped(graph.label(id)),
                graph.op(id),
                graph.tensor(id).layout(),
                plan.size(id),
                plan.offset(id),
                liveness.from(id),
                liveness.to(id),
                plan.inPlaceOf(id) == Graph.NO_ID ? "" : escaped("\nin place of " + graph.label(plan.inPlaceOf(id))));
    }

    private String colour(int id) {
        if (graph.isOutput(id)) {
            return "#2e8b57";
        }
        if (!graph.isNode(id) || graph.isInput(id)) {
            return "#8e8e8e";
        }
        if (plan.inPlaceOf(id) != Graph.NO_ID) {
            return "#e0a030";
        }
        return id % 2 == 0 ? "#3f7fbf" : "#6aa2d8";
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency
    private void append(String format, Object... arguments) {
        out.append(String.format(Locale.ROOT, format, arguments));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
