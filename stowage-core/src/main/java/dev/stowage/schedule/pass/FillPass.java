package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.Rule;

/**
 * Pass 4 of {@code ggml_backend_sched_split_graph}: assigns everything that is still open: views to the device of their
 * source, sources to that of their reader, and other nodes to the first device that runs them.
 */
final class FillPass {

    private final AssignmentTable table;
    private final Graph graph;

    private FillPass(AssignmentTable table) {
        this.table = table;
        this.graph = table.graph();
    }

    static void run(AssignmentTable table, boolean hasOpenLeaves) {
        FillPass pass = new FillPass(table);
        for (int id = 0; id < table.graph().nodeCount(); id++) {
            pass.followViewSource(id);
            // Nodes are filled before their readers, so that only leaves can be open where they are read.
            if (hasOpenLeaves) {
                pass.fillSources(id);
            }
            if (!table.isAssigned(id)) {
                table.assign(id, pass.firstAble(id), Rule.FIRST_ABLE);
            }
        }
    }

    private void fillSources(int id) {
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID && !table.isAssigned(source)) {
                if (graph.viewSource(source) != Graph.NO_ID) {
                    followViewSource(source);
                } else if (table.isAssigned(id)) {
                    table.assign(source, table.device(id), Rule.WITH_READER, id);
                }
            }
        }
    }

    private void followViewSource(int id) {
        int viewSource = graph.viewSource(id);
        if (viewSource != Graph.NO_ID && !table.isAssigned(id) && table.isAssigned(viewSource)) {
            table.assign(id, table.device(viewSource), Rule.WITH_VIEW_SOURCE, viewSource);
        }
    }

    private int firstAble(int id) {
        int able = table.first(device -> table.runs(id, device));
        if (able == AssignmentTable.NONE) {
            throw Refusals.unsupported(table, id);
        }
        return able;
    }
}
