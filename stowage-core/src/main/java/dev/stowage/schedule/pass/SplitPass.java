package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;

/**
 * Pass 5 of {@code ggml_backend_sched_split_graph}: splits the graph where the device changes and finds the inputs to
 * copy. A tensor is copied to a device once, before the split in which it is first read there. A split also ends before
 * a node whose weights must be copied, so that the memory of earlier copies of weights can be reused.
 *
 * <p>View ops belong to the split around them. Unlike in ggml, a tensor is copied again if its bytes have been written
 * through a view since the last copy, and never before they have been computed.
 */
public final class SplitPass {

    private static final int NO_INPUT = -1;
    private static final int NO_SLOT = -1;

    private final AssignmentTable table;
    private final Graph graph;
    private final boolean pipelined;
    private final Splitting splits;

    /** By tensor, one more than the number of its last input. */
    private final int[] lastInput;

    private final boolean[] isGraphInput;

    private SplitPass(AssignmentTable table, boolean pipelined) {
        this.table = table;
        this.graph = table.graph();
        this.pipelined = pipelined;
        this.splits = new Splitting(graph);
        this.lastInput = new int[graph.size()];
        this.isGraphInput = pipelined ? new boolean[graph.size()] : new boolean[0];
    }

    public static Splitting run(AssignmentTable table, boolean pipelined) {
        return new SplitPass(table, pipelined).split();
    }

    private Splitting split() {
        int device = AssignmentTable.NONE;
        for (int id = 0; id < graph.nodeCount(); id++) {
            if (graph.isViewOp(id)) {
                continue;
            }
            int own = table.device(id);
            int copied = firstCopied(id, own);
            if (device == AssignmentTable.NONE) {
                splits.start(0, own);
            } else if (own != device || (copied != NO_SLOT && needsNewSplit(copied, graph.endSlot(id), own))) {
                splits.start(id, own);
            }
            device = own;
            if (pipelined) {
                collectInputs(id);
            }
            if (copied != NO_SLOT) {
                wire(copied, graph.endSlot(id), own);
            }
            if (graph.viewSource(id) != Graph.NO_ID) {
                splits.write(graph.viewSource(id), id);
            }
        }
        if (device == AssignmentTable.NONE) {
            splits.start(0, 0);
        }
        splits.end();
        return splits;
    }

    /** The first slot of a node whose source must be copied, or {@link #NO_SLOT}. */
    private int firstCopied(int id, int device) {
        int end = graph.endSlot(id);
        for (int slot = graph.firstSlot(id); slot < end; slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID && table.mustBeCopied(source, device)) {
                return slot;
            }
        }
        return NO_SLOT;
    }

    /** Whether a source to be copied is a weight, or is written by the current split. */
    private boolean needsNewSplit(int from, int to, int device) {
        boolean hasInputs = splits.currentHasInputs();
        for (int slot = from; slot < to; slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID
                    && ((hasInputs && table.isPlacedWeight(source)) || lastWriter(source) >= splits.currentStart())
                    && table.mustBeCopied(source, device)) {
                return true;
            }
        }
        return false;
    }

    /** The last node so far that wrote the bytes of a tensor. */
    private int lastWriter(int id) {
        int root = graph.root(id);
        return graph.isNode(root) ? Math.max(root, splits.lastWriter(root)) : splits.lastWriter(root);
    }

    private void collectInputs(int id) {
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID && graph.isInput(source) && !isGraphInput[source]) {
                isGraphInput[source] = true;
                splits.addGraphInput(source);
            }
        }
    }

    private void wire(int from, int to, int device) {
        for (int slot = from; slot < to; slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID && table.mustBeCopied(source, device)) {
                int input = lastInput[source] - 1;
                while (input != NO_INPUT && splits.input(input).device() != device) {
                    input = splits.input(input).before();
                }
                if (input == NO_INPUT
                        || lastWriter(source) >= splits.input(input).start()) {
                    input = splits.addInput(source, origin(source, device), lastInput[source] - 1);
                    lastInput[source] = input + 1;
                }
                splits.rewire(slot, input);
            }
        }
    }

    /** The device a tensor is copied from: its own, or that of the source for a view already on the reader. */
    private int origin(int source, int device) {
        return table.device(table.device(source) == device ? graph.root(source) : source);
    }
}
