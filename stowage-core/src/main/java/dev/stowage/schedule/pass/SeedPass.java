package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.Rule;
import dev.stowage.tensor.Op;

/**
 * Pass 1 of {@code ggml_backend_sched_split_graph}: assigns tensors that have memory, inputs, and nodes that read
 * weights. The first rule that applies decides; assignments by the caller stay.
 */
final class SeedPass {

    private final AssignmentTable table;
    private final Graph graph;
    private final boolean offload;
    private final int last;

    private SeedPass(AssignmentTable table, boolean offload) {
        this.table = table;
        this.graph = table.graph();
        this.offload = offload;
        this.last = table.devices().last();
    }

    static void run(AssignmentTable table, boolean offload) {
        SeedPass pass = new SeedPass(table, offload);
        Graph graph = table.graph();
        pass.seed(graph.nodeCount(), graph.nodeCount() + graph.leafCount());
        pass.seed(0, graph.nodeCount());
    }

    private void seed(int from, int to) {
        for (int id = from; id < to; id++) {
            if (table.isAssigned(id)) {
                continue;
            }
            if (table.isPlaced(id)) {
                seedByStorage(id);
            } else if (graph.isInput(id)) {
                table.assign(id, last, Rule.INPUT);
            } else {
                seedByFirstWeight(id);
            }
        }
    }

    private void seedByStorage(int id) {
        int device = firstReadingAndRunning(id, id);
        if (device == AssignmentTable.NONE) {
            throw graph.isNode(id) ? Refusals.unsupported(table, id) : Refusals.unreadable(table, id);
        }
        table.assign(id, device, Rule.STORED_THERE);
    }

    /** The first weight decides, even if no device reads it and runs the op. */
    private void seedByFirstWeight(int id) {
        int end = graph.endSlot(id);
        for (int slot = graph.firstSlot(id); slot < end; slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID && table.isPlacedWeight(source)) {
                if (!ignoresWeights(graph.op(id))) {
                    seedByWeight(id, source);
                }
                return;
            }
        }
    }

    private void seedByWeight(int id, int weight) {
        int device = firstReadingAndRunning(weight, id);
        int target =
                offload && device == last && table.isInHostMemory(weight) ? offloadDevice(id) : AssignmentTable.NONE;
        if (target != AssignmentTable.NONE) {
            table.assign(id, target, Rule.OFFLOADED, weight);
        } else if (device != AssignmentTable.NONE) {
            table.assign(id, device, Rule.WEIGHT_THERE, weight);
        }
    }

    /** Ops whose weights are too small to decide. */
    private static boolean ignoresWeights(Op op) {
        return op == Op.ROPE || op == Op.FLASH_ATTN_EXT;
    }

    private int firstReadingAndRunning(int stored, int id) {
        return table.first(device -> table.reads(stored, device) && table.runs(id, device));
    }

    /** The first device but the last that runs a node and offloads it from the host. */
    private int offloadDevice(int id) {
        return table.first(device -> device < last
                && table.runs(id, device)
                && table.devices().device(device).offloadsOp(graph.tensor(id)));
    }
}
