package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.Rule;

/**
 * Pass 2 of {@code ggml_backend_sched_split_graph}: carries devices to neighbouring nodes, so that few need a copy;
 * down and up the graph, first with every device but the last, which ends the carrying, then with all. A node that the
 * carried device does not run is left to later passes.
 */
final class ExpandPass {

    private final AssignmentTable table;
    private final Graph graph;
    private final int last;
    private boolean isOpen;

    private ExpandPass(AssignmentTable table) {
        this.table = table;
        this.graph = table.graph();
        this.last = table.devices().last();
    }

    /** Carries devices as far as they go; returns whether a node is still without one. */
    static boolean run(AssignmentTable table) {
        ExpandPass pass = new ExpandPass(table);
        // A sweep that leaves no node open is the last: the others would change nothing.
        return pass.sweep(true, false) && pass.sweep(false, false) && pass.sweep(true, true) && pass.sweep(false, true);
    }

    /** Carries devices down or up the graph; returns whether a node is still without one. */
    private boolean sweep(boolean down, boolean carryLast) {
        isOpen = false;
        int carrier = Graph.NO_ID;
        int count = graph.nodeCount();
        for (int step = 0; step < count; step++) {
            int id = down ? step : count - 1 - step;
            carrier = visit(id, carrier, carryLast, down ? Rule.CARRIED_DOWN : Rule.CARRIED_UP);
        }
        return isOpen;
    }

    /** Assigns a node the device of the carrier; returns the next carrier. */
    private int visit(int id, int carrier, boolean carryLast, Rule rule) {
        if (graph.isViewOp(id)) {
            return carrier;
        }
        if (table.isAssigned(id)) {
            return carryLast || table.device(id) != last ? id : Graph.NO_ID;
        }
        if (carrier != Graph.NO_ID && table.runs(id, table.device(carrier))) {
            table.assign(id, table.device(carrier), rule, carrier);
        } else {
            isOpen = true;
        }
        return carrier;
    }
}
