package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.Rule;

/**
 * The second pass carries devices on to their neighbours, so that few nodes need a copy: down and up the graph first
 * with every device but the last, which stops the carrying instead, then with all of them. What the carried device
 * cannot compute is left for later.
 */
final class ExpandPass {

    private final AssignmentTable board;
    private final Graph graph;
    private final int last;
    private boolean isOpen;

    private ExpandPass(AssignmentTable board) {
        this.board = board;
        this.graph = board.graph();
        this.last = board.last();
    }

    static void run(AssignmentTable board) {
        ExpandPass pass = new ExpandPass(board);
        // A sweep that leaves nothing open is the last: the others would change nothing.
        boolean open = pass.down(false) && pass.up(false) && pass.down(true);
        if (open) {
            pass.up(true);
        }
    }

    /** Carries devices on to later nodes, and says whether some node is still without one. */
    private boolean down(boolean carryLast) {
        isOpen = false;
        int carrier = Graph.NO_ID;
        for (int id = 0; id < graph.nodeCount(); id++) {
            carrier = visit(id, carrier, carryLast, Rule.CARRIED_DOWN);
        }
        return isOpen;
    }

    /** Carries devices back to earlier nodes, and says whether some node is still without one. */
    private boolean up(boolean carryLast) {
        isOpen = false;
        int carrier = Graph.NO_ID;
        for (int id = graph.nodeCount() - 1; id >= 0; id--) {
            carrier = visit(id, carrier, carryLast, Rule.CARRIED_UP);
        }
        return isOpen;
    }

    /** Assigns a node the device of the carrier, and says which node carries on from here. */
    private int visit(int id, int carrier, boolean carryLast, Rule rule) {
        if (graph.isViewOp(id)) {
            return carrier;
        }
        if (board.isAssigned(id)) {
            return carryLast || board.device(id) != last ? id : Graph.NO_ID;
        }
        if (carrier != Graph.NO_ID && board.runs(id, board.device(carrier))) {
            board.assign(id, board.device(carrier), rule, carrier);
        } else {
            isOpen = true;
        }
        return carrier;
    }
}
