package dev.stowage.picture;

import dev.stowage.plan.MemoryPlan;

/**
 * A plan drawn for people: time runs to the right, node by node, addresses run upwards, and every tensor is the
 * rectangle of the bytes it takes over the time it is needed, in a panel for each chunk of each buffer. What stays empty
 * below the line of the plan is memory it could not use; the other line is the lower bound. Results that took the place
 * of an operand are strung on a line with it, and views lie hatched in the tensor they show.
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
        return PlanPage.of(plan, title);
    }
}
