package dev.stowage.schedule.search;

import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import dev.stowage.schedule.pass.AssignmentTable;
import dev.stowage.schedule.pass.ExpertReads;

/** The readers of each tensor, and which devices read it without a copy. */
public final class ReaderIndex {

    private final AssignmentTable table;
    private final MovableUnits units;
    private final CostSheet sheet;
    private final int count;
    private final IntList[] readers;
    private final boolean[] fixedReaders;
    private final boolean[] fixedCopies;

    public ReaderIndex(AssignmentTable table, MovableUnits units, CostSheet sheet) {
        this.table = table;
        this.units = units;
        this.sheet = sheet;
        this.count = sheet.deviceCount();
        Graph graph = table.graph();
        this.readers = IntList.empty(graph.size());
        this.fixedReaders = new boolean[graph.size() * count];
        this.fixedCopies = new boolean[graph.size() * count];
        recordReaders(graph);
        for (int id = 0; id < graph.size(); id++) {
            for (int device = 0; device < count; device++) {
                fixedCopies[id * count + device] = table.mustBeCopied(id, device);
            }
        }
    }

    private void recordReaders(Graph graph) {
        for (int id = 0; id < graph.nodeCount(); id++) {
            for (int slot = graph.firstSlot(id); !graph.isViewOp(id) && slot < graph.endSlot(id); slot++) {
                int source = graph.sourceAt(slot);
                if (source != Graph.NO_ID) {
                    recordReader(source, id);
                }
            }
        }
    }

    private void recordReader(int source, int node) {
        int unit = units.unitOf(node);
        if (unit == MovableUnits.FIXED) {
            fixedReaders[source * count + table.device(node)] = true;
        } else if (!readers[source].contains(unit)) {
            readers[source].add(unit);
        }
    }

    int size() {
        return readers.length;
    }

    /** The units that read a tensor, each once. */
    IntList readers(int source) {
        return readers[source];
    }

    boolean hasFixedReader(int source, int device) {
        return fixedReaders[source * count + device];
    }

    /** The device of a tensor. */
    int device(int source, int[] devices) {
        int unit = units.unitOf(source);
        return unit == MovableUnits.FIXED ? table.device(source) : devices[unit];
    }

    boolean mustBeCopied(int source, int from, int to) {
        boolean stays = table.isPlaced(source) || units.unitOf(source) == MovableUnits.FIXED;
        return stays ? fixedCopies[source * count + to] : !table.readsResultsOf(from, to);
    }

    /** The bytes of a copy; for experts' weights those that are expected to be used. */
    double bytes(int source) {
        Graph graph = table.graph();
        if (readers[source].size() == 1) {
            int[] ids = units.get(readers[source].get(0)).ids();
            if (graph.isNode(ids[0]) && ExpertReads.areCopiedInParts(graph, ids[0], source)) {
                return sheet.expectedExpertBytes(source, ids[0]);
            }
        }
        return sheet.bytes(source);
    }
}
