package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.Rule;

/**
 * Handles what ggml has no pass for, because it aborts or computes wrong results there. A leaf that is reached only
 * through views gets the device of its first view, or of the reader of that view; an unread leaf gets the first device.
 * A node that writes into another tensor moves to a device that reaches that tensor; if none of those runs the node,
 * the tensor moves to a device that runs all nodes that write into it, unless it has memory already.
 */
final class RepairPass {

    private final AssignmentTable table;
    private final Graph graph;

    private RepairPass(AssignmentTable table) {
        this.table = table;
        this.graph = table.graph();
    }

    static void run(AssignmentTable table, boolean hasOpenLeaves) {
        RepairPass pass = new RepairPass(table);
        Graph graph = table.graph();
        if (hasOpenLeaves) {
            pass.assignViewSources();
            pass.assignRemaining();
        }
        for (int id = 0; id < graph.nodeCount(); id++) {
            if (graph.viewSource(id) != Graph.NO_ID && !graph.isViewOp(id) && !table.reaches(id, table.device(id))) {
                pass.moveToWrittenTensor(id);
            }
        }
    }

    private void assignViewSources() {
        for (int view = 0; view < graph.size(); view++) {
            int source = graph.viewSource(view);
            if (source != Graph.NO_ID && !table.isAssigned(source) && table.isAssigned(view)) {
                table.assign(source, table.device(view), Rule.WITH_VIEW, view);
            }
        }
    }

    private void assignRemaining() {
        for (int id = 0; id < graph.nodeCount(); id++) {
            for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
                int source = graph.sourceAt(slot);
                if (source != Graph.NO_ID && !table.isAssigned(graph.root(source))) {
                    table.assign(graph.root(source), table.device(id), Rule.WITH_READER, id);
                }
            }
        }
        for (int id = 0; id < graph.size(); id++) {
            int root = graph.root(id);
            if (!table.isAssigned(root)) {
                table.assign(root, 0, Rule.FIRST_ABLE);
            }
            if (!table.isAssigned(id)) {
                table.assign(id, table.device(root), Rule.WITH_VIEW_SOURCE, root);
            }
        }
    }

    private void moveToWrittenTensor(int id) {
        int reaching = table.first(device -> table.reaches(id, device) && table.runs(id, device));
        if (reaching == AssignmentTable.NONE) {
            moveWrittenTensor(id);
        } else {
            table.assign(id, reaching, Rule.REACHES_RESULT, graph.root(id));
        }
    }

    /** Moves a tensor, and all nodes that write into it, to a device that runs all of them. */
    private void moveWrittenTensor(int id) {
        int root = graph.root(id);
        int device = table.first(number -> runsAllWriters(root, number));
        if (device == AssignmentTable.NONE || table.isPlaced(root) || table.isCallersChoice(root)) {
            throw Refusals.unsupported(table, id);
        }
        table.assign(root, device, Rule.WITH_WRITERS, id);
        for (int view = 0; view < graph.size(); view++) {
            if (graph.viewSource(view) == root) {
                table.assign(view, device, Rule.WITH_VIEW_SOURCE, root);
            }
        }
    }

    private boolean runsAllWriters(int root, int device) {
        boolean all = table.runs(root, device);
        for (int id = 0; all && id < graph.nodeCount(); id++) {
            all = graph.viewSource(id) != root || graph.isViewOp(id) || table.runs(id, device);
        }
        return all;
    }
}
