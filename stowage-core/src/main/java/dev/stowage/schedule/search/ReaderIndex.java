package dev.stowage.schedule.search;

import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import dev.stowage.schedule.pass.AssignmentTable;
import dev.stowage.schedule.pass.ExpertReads;
import java.util.Arrays;

/** Who reads what, and who can do so without a copy; all that a cut needs to know about a graph. */
public final class ReaderIndex {

    private final AssignmentTable board;
    private final MovableUnits units;
    private final CostSheet sheet;
    private final int count;
    private final IntList[] readers;
    private final boolean[] fixedReaders;
    private final boolean[] fixedCopies;
    private final boolean[] shared;

    public ReaderIndex(AssignmentTable board, MovableUnits units, CostSheet sheet) {
        this.board = board;
        this.units = units;
        this.sheet = sheet;
        this.count = sheet.deviceCount();
        Graph graph = board.graph();
        this.readers = new IntList[graph.size()];
        this.fixedReaders = new boolean[graph.size() * count];
        this.fixedCopies = new boolean[graph.size() * count];
        this.shared = new boolean[count * count];
        takeDownReaders(graph);
        for (int id = 0; id < graph.size(); id++) {
            for (int device = 0; device < count; device++) {
                fixedCopies[id * count + device] = board.mustBeCopied(id, device);
            }
        }
        for (int from = 0; from < count; from++) {
            for (int to = 0; to < count; to++) {
                shared[from * count + to] = from == to
                        || board.devices()
                                .device(to)
                                .supportsBufferType(board.devices().bufferType(from));
            }
        }
    }

    private void takeDownReaders(Graph graph) {
        Arrays.setAll(readers, _ -> new IntList(1));
        for (int id = 0; id < graph.nodeCount(); id++) {
            for (int slot = graph.firstSlot(id); !graph.isViewOp(id) && slot < graph.endSlot(id); slot++) {
                int source = graph.sourceAt(slot);
                if (source != Graph.NO_ID) {
                    takeDownReader(source, id);
                }
            }
        }
    }

    private void takeDownReader(int source, int node) {
        int unit = units.unitOf(node);
        if (unit == MovableUnits.FIXED) {
            fixedReaders[source * count + board.device(node)] = true;
            return;
        }
        IntList known = readers[source];
        // Nodes come in order, and so do their units, except where an op works in place.
        for (int index = known.size() - 1; index >= 0; index--) {
            if (known.get(index) == unit) {
                return;
            }
        }
        known.add(unit);
    }

    int size() {
        return readers.length;
    }

    int readerCount(int source) {
        return readers[source].size();
    }

    int reader(int source, int index) {
        return readers[source].get(index);
    }

    boolean hasFixedReader(int source, int device) {
        return fixedReaders[source * count + device];
    }

    /** The device a tensor is on. */
    int home(int source, int[] devices) {
        int unit = units.unitOf(source);
        return unit == MovableUnits.FIXED ? board.device(source) : devices[unit];
    }

    boolean mustBeCopied(int source, int from, int to) {
        boolean stays = board.isPlaced(source) || units.unitOf(source) == MovableUnits.FIXED;
        return stays ? fixedCopies[source * count + to] : !shared[from * count + to];
    }

    /** The bytes that cross; of experts' weights those that are expected to be used. */
    double bytes(int source) {
        Graph graph = board.graph();
        if (readers[source].size() == 1) {
            int[] ids = units.get(readers[source].get(0)).ids();
            if (graph.isNode(ids[0]) && ExpertReads.areCopiedInParts(graph, ids[0], source)) {
                return sheet.expectedExpertBytes(source, ids[0]);
            }
        }
        return sheet.bytes(source);
    }
}
