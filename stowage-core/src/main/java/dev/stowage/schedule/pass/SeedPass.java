package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.Rule;
import dev.stowage.tensor.Op;

/**
 * The first pass puts what has no choice: tensors that lie in memory, inputs, and nodes that read weights. The first
 * rule that applies decides; what the caller assigned stays.
 */
final class SeedPass {

    private final AssignmentTable board;
    private final Graph graph;
    private final boolean offload;
    private final int last;

    private SeedPass(AssignmentTable board, boolean offload) {
        this.board = board;
        this.graph = board.graph();
        this.offload = offload;
        this.last = board.last();
    }

    static void run(AssignmentTable board, boolean offload) {
        SeedPass pass = new SeedPass(board, offload);
        Graph graph = board.graph();
        pass.seed(graph.nodeCount(), graph.nodeCount() + graph.leafCount());
        pass.seed(0, graph.nodeCount());
    }

    private void seed(int from, int to) {
        for (int id = from; id < to; id++) {
            if (board.isAssigned(id)) {
                continue;
            }
            if (board.isPlaced(id)) {
                seedWhereItLies(id);
            } else if (graph.isInput(id)) {
                board.assign(id, last, Rule.INPUT);
            } else {
                seedByFirstWeight(id);
            }
        }
    }

    private void seedWhereItLies(int id) {
        int device = board.firstReadingAndRunning(id, id);
        if (device == AssignmentTable.NONE) {
            throw graph.isNode(id) ? Refusals.nobodyRuns(board, id) : Refusals.nobodyReads(board, id);
        }
        board.assign(id, device, Rule.LIES_THERE);
    }

    /** The first weight decides, even if that means that nothing is decided because no device has it and runs the op. */
    private void seedByFirstWeight(int id) {
        int end = graph.endSlot(id);
        for (int slot = graph.firstSlot(id); slot < end; slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID && board.isPlacedWeight(source)) {
                if (!isDecidedByOthers(graph.op(id))) {
                    seedByWeight(id, source);
                }
                return;
            }
        }
    }

    private void seedByWeight(int id, int weight) {
        int device = board.firstReadingAndRunning(weight, id);
        int taker = offload && device == last && board.isInHostMemory(weight) ? taker(id) : AssignmentTable.NONE;
        if (taker != AssignmentTable.NONE) {
            board.assign(id, taker, Rule.OFFLOADED, weight);
        } else if (device != AssignmentTable.NONE) {
            board.assign(id, device, Rule.WEIGHT_THERE, weight);
        }
    }

    /** Whether the op reads tensors that lie with the weights but are too small to decide anything. */
    private static boolean isDecidedByOthers(Op op) {
        return op == Op.ROPE || op == Op.FLASH_ATTN_EXT;
    }

    /** The first device above the last that computes a node and wants it although its weights are on the host. */
    private int taker(int id) {
        for (int device = 0; device < last; device++) {
            if (board.runs(id, device) && board.devices().device(device).offloadsOp(graph.tensor(id))) {
                return device;
            }
        }
        return AssignmentTable.NONE;
    }
}
