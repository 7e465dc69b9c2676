package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.Rule;

/**
 * The third pass settles what the carrying left open: a node without a device goes to the one that reads the most of its
 * sources, and a node with one moves up to a device of higher priority that works in the same memory and reads all of
 * its sources.
 */
final class ResolvePass {

    private final AssignmentTable board;
    private final Graph graph;

    private ResolvePass(AssignmentTable board) {
        this.board = board;
        this.graph = board.graph();
    }

    static void run(AssignmentTable board) {
        ResolvePass pass = new ResolvePass(board);
        for (int id = 0; id < board.graph().nodeCount(); id++) {
            if (board.graph().isViewOp(id)) {
                continue;
            }
            if (board.isAssigned(id)) {
                pass.upgrade(id);
            } else {
                pass.settle(id);
            }
        }
    }

    private void settle(int id) {
        int most = -1;
        int best = AssignmentTable.NONE;
        for (int device = 0; device < board.devices().count(); device++) {
            if (board.runs(id, device)) {
                int readable = readableSources(id, device);
                if (readable > most) {
                    most = readable;
                    best = device;
                }
            }
        }
        if (best != AssignmentTable.NONE) {
            board.assign(id, best, Rule.MOST_SOURCES);
        }
    }

    private int readableSources(int id, int device) {
        int readable = 0;
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID && isSomewhere(source) && board.reads(source, device)) {
                readable++;
            }
        }
        return readable;
    }

    private boolean isSomewhere(int id) {
        int viewSource = graph.viewSource(id);
        return board.isAssigned(id) || (viewSource != Graph.NO_ID && board.isAssigned(viewSource));
    }

    private void upgrade(int id) {
        int present = board.device(id);
        for (int device = 0; device < present; device++) {
            if (board.shareMemory(device, present) && board.runs(id, device) && readsAllSources(id, device)) {
                board.assign(id, device, Rule.UPGRADED);
                return;
            }
        }
    }

    private boolean readsAllSources(int id, int device) {
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID && !board.reads(source, device)) {
                return false;
            }
        }
        return true;
    }
}
