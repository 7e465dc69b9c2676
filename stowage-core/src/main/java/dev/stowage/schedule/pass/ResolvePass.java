package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.Rule;

/**
 * Pass 3 of {@code ggml_backend_sched_split_graph}: assigns an open node to the device that reads the most of its
 * sources, and upgrades other nodes to a device of higher priority with the same memory that reads all of their
 * sources.
 */
final class ResolvePass {

    private final AssignmentTable table;
    private final Graph graph;

    private ResolvePass(AssignmentTable table) {
        this.table = table;
        this.graph = table.graph();
    }

    static void run(AssignmentTable table) {
        ResolvePass pass = new ResolvePass(table);
        for (int id = 0; id < table.graph().nodeCount(); id++) {
            if (table.graph().isViewOp(id)) {
                continue;
            }
            if (table.isAssigned(id)) {
                pass.upgrade(id);
            } else {
                pass.resolve(id);
            }
        }
    }

    private void resolve(int id) {
        int most = -1;
        int best = AssignmentTable.NONE;
        for (int device = 0; device < table.devices().count(); device++) {
            if (table.runs(id, device)) {
                int readable = readableSources(id, device);
                if (readable > most) {
                    most = readable;
                    best = device;
                }
            }
        }
        if (best != AssignmentTable.NONE) {
            table.assign(id, best, Rule.MOST_SOURCES);
        }
    }

    private int readableSources(int id, int device) {
        int readable = 0;
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID && isLocated(source) && table.reads(source, device)) {
                readable++;
            }
        }
        return readable;
    }

    private boolean isLocated(int id) {
        return table.isAssigned(id) || table.isAssigned(graph.root(id));
    }

    private void upgrade(int id) {
        int present = table.device(id);
        for (int device = 0; device < present; device++) {
            if (table.shareMemory(device, present) && table.runs(id, device) && readsAllSources(id, device)) {
                table.assign(id, device, Rule.UPGRADED);
                return;
            }
        }
    }

    private boolean readsAllSources(int id, int device) {
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID && !table.reads(source, device)) {
                return false;
            }
        }
        return true;
    }
}
