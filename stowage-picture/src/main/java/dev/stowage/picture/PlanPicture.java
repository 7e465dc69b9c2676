package dev.stowage.picture;

import dev.stowage.plan.MemoryPlan;
import java.util.List;

/**
 * A picture of a plan: time runs to the right, node by node, addresses run upwards, and every tensor is the rectangle
 * of its bytes over its live range, in a panel per chunk. Empty space below the line of the plan is unused memory; the
 * other line is the lower bound. In-place results are linked to the operand they overwrite, and views are hatched in
 * their source.
 */
public final class PlanPicture {

    private PlanPicture() {}

    /** The picture as the text of an SVG file; what is pointed at says its name, op, size and lifetime. */
    public static String svg(MemoryPlan plan) {
        return new PlanPictureSvg(plan).draw();
    }

    /** As {@link #html(MemoryPlan, String)}, with a title that says only what it is. */
    public static String html(MemoryPlan plan) {
        return html(plan, "Memory plan");
    }

    /**
     * The picture as the text of an HTML file that needs no other and no network: to zoom, to search, and with a table
     * of the largest tensors. It stays quick with many thousands of them.
     *
     * @param title what was planned, such as the name of a model
     */
    public static String html(MemoryPlan plan, String title) {
        return html(plan, title, List.of());
    }

    /** As {@link #html(MemoryPlan, String)}, with tables above the picture. */
    public static String html(MemoryPlan plan, String title, List<PageTable> tables) {
        return PlanPage.of(plan, title, tables);
    }
}
