package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.Rule;

/**
 * What ggml has no pass for, because it stops or computes nonsense there. A leaf that is reached only through views gets
 * the device of its first view, or of who reads that view if the view has none either; what nobody reads gets the first
 * device. A node that writes into the bytes of another tensor moves to a device that reaches them, if the one it is on
 * does not; where none of those can run it, the other tensor moves to a device that can run all who write into it, unless
 * it lies in memory already. Nothing else changes.
 */
final class RepairPass {

    private final AssignmentTable board;
    private final Graph graph;

    private RepairPass(AssignmentTable board) {
        this.board = board;
        this.graph = board.graph();
    }

    static void run(AssignmentTable board) {
        RepairPass pass = new RepairPass(board);
        Graph graph = board.graph();
        if (pass.isAnythingLeft()) {
            pass.giveSourcesADevice();
            pass.giveTheRestADevice();
        }
        for (int id = 0; id < graph.nodeCount(); id++) {
            if (graph.viewSource(id) != Graph.NO_ID && !graph.isViewOp(id) && !board.reaches(id, board.device(id))) {
                pass.moveToWhatItWrites(id);
            }
        }
    }

    private void giveSourcesADevice() {
        for (int view = 0; view < graph.size(); view++) {
            int source = graph.viewSource(view);
            if (source != Graph.NO_ID && !board.isAssigned(source) && board.isAssigned(view)) {
                board.assign(source, board.device(view), Rule.WITH_VIEW, view);
            }
        }
    }

    private boolean isAnythingLeft() {
        for (int id = 0; id < graph.size(); id++) {
            if (!board.isAssigned(id)) {
                return true;
            }
        }
        return false;
    }

    private void giveTheRestADevice() {
        for (int id = 0; id < graph.nodeCount(); id++) {
            for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
                int source = graph.sourceAt(slot);
                if (source != Graph.NO_ID && !board.isAssigned(board.root(source))) {
                    board.assign(board.root(source), board.device(id), Rule.WITH_READER, id);
                }
            }
        }
        for (int id = 0; id < graph.size(); id++) {
            int root = board.root(id);
            if (!board.isAssigned(root)) {
                board.assign(root, 0, Rule.FIRST_ABLE);
            }
            if (!board.isAssigned(id)) {
                board.assign(id, board.device(root), Rule.WITH_VIEW_SOURCE, root);
            }
        }
    }

    private void moveToWhatItWrites(int id) {
        for (int device = 0; device < board.devices().count(); device++) {
            if (board.reaches(id, device) && board.runs(id, device)) {
                board.assign(id, device, Rule.REACHES_RESULT, board.root(id));
                return;
            }
        }
        moveWhatItWrites(id);
    }

    /** Moves a tensor that need not be where it is to a device that runs all who write into it, and them with it. */
    private void moveWhatItWrites(int id) {
        int root = board.root(id);
        int device = 0;
        while (device < board.devices().count() && !runsAllWriters(root, device)) {
            device++;
        }
        if (device == board.devices().count() || board.isPlaced(root) || board.isCallersChoice(root)) {
            throw Refusals.nobodyRuns(board, id);
        }
        board.assign(root, device, Rule.WITH_WRITERS, id);
        for (int view = 0; view < graph.size(); view++) {
            if (graph.viewSource(view) == root) {
                board.assign(view, device, Rule.WITH_VIEW_SOURCE, root);
            }
        }
    }

    private boolean runsAllWriters(int root, int device) {
        boolean all = board.runs(root, device);
        for (int id = 0; all && id < graph.nodeCount(); id++) {
            all = graph.viewSource(id) != root || graph.isViewOp(id) || board.runs(id, device);
        }
        return all;
    }
}
