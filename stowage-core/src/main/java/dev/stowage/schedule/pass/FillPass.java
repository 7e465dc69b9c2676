package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.Rule;

/**
 * The fourth pass gives a device to everything that has none yet: views go where their sources are, sources where their
 * readers are, and a node that is still left to the first device that can compute it.
 */
final class FillPass {

    private final AssignmentTable board;
    private final Graph graph;

    private FillPass(AssignmentTable board) {
        this.board = board;
        this.graph = board.graph();
    }

    static void run(AssignmentTable board) {
        FillPass pass = new FillPass(board);
        for (int id = 0; id < board.graph().nodeCount(); id++) {
            pass.fill(id);
        }
    }

    private void fill(int id) {
        followViewSource(id);
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID && !board.isAssigned(source)) {
                if (graph.viewSource(source) != Graph.NO_ID) {
                    followViewSource(source);
                } else if (board.isAssigned(id)) {
                    board.assign(source, board.device(id), Rule.WITH_READER, id);
                }
            }
        }
        if (!board.isAssigned(id)) {
            board.assign(id, firstAble(id), Rule.FIRST_ABLE);
        }
    }

    private void followViewSource(int id) {
        int viewSource = graph.viewSource(id);
        if (viewSource != Graph.NO_ID && !board.isAssigned(id) && board.isAssigned(viewSource)) {
            board.assign(id, board.device(viewSource), Rule.WITH_VIEW_SOURCE, viewSource);
        }
    }

    private int firstAble(int id) {
        for (int device = 0; device < board.devices().count(); device++) {
            if (board.runs(id, device)) {
                return device;
            }
        }
        throw Refusals.nobodyRuns(board, id);
    }
}
