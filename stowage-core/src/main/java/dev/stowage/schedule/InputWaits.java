package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.pass.AssignmentTable;
import dev.stowage.schedule.pass.Hazards;
import dev.stowage.schedule.pass.SplitCopies;
import dev.stowage.schedule.pass.Splitting;
import java.util.BitSet;

/**
 * The devices to wait for before the caller writes the inputs of the next run of a pipeline: asynchronous devices that
 * read an input in place, or copy a view of it. Usually there are none: inputs are in host memory, and accelerators read
 * copies that the host makes.
 *
 * @param forSlot devices that read inputs with a place per slot: their run of the same slot must be done
 * @param forAll devices that read inputs with a single place: all their work must be done
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record InputWaits(int[] forSlot, int[] forAll) {
    static final InputWaits NONE = new InputWaits(new int[0], new int[0]);

    static InputWaits of(
            AssignmentTable table, Splitting splitting, Hazards hazards, SplitCopies copies, int pipeline) {
        if (pipeline == 1 || !hazards.isAnyAsync()) {
            return NONE;
        }
        Graph graph = table.graph();
        BitSet slotted = new BitSet();
        for (int index = 0; index < splitting.graphInputCount(); index++) {
            slotted.set(splitting.graphInput(index), copies.spares(index).length > 0);
        }
        BitSet forSlot = new BitSet();
        BitSet forAll = new BitSet();
        for (int id = 0; id < graph.nodeCount(); id++) {
            int device = table.device(id);
            for (int slot = graph.firstSlot(id); hazards.isAsync(device) && slot < graph.endSlot(id); slot++) {
                int source = graph.sourceAt(slot);
                if (source != Graph.NO_ID && graph.isInput(graph.root(source)) && table.reaches(source, device)) {
                    (slotted.get(graph.root(source)) ? forSlot : forAll).set(device);
                }
            }
        }
        for (int split = 0; split < splitting.count(); split++) {
            int reader = splitting.device(split);
            for (int input = splitting.firstInput(split); input < splitting.endInput(split); input++) {
                int source = splitting.input(input).source();
                if (hazards.isAsync(reader) && !graph.isInput(source) && graph.isInput(graph.root(source))) {
                    (slotted.get(graph.root(source)) ? forSlot : forAll).set(reader);
                }
            }
        }
        addUsersOfPlaces(table, hazards, slotted, forAll);
        forSlot.andNot(forAll);
        return new InputWaits(forSlot.stream().toArray(), forAll.stream().toArray());
    }

    /** The single place of an input may be reused later in the run. */
    private static void addUsersOfPlaces(AssignmentTable table, Hazards hazards, BitSet slotted, BitSet forAll) {
        Graph graph = table.graph();
        for (int id = 0; id < graph.size(); id++) {
            for (int device = 0; graph.isInput(id) && device < table.devices().count(); device++) {
                boolean isShared = !slotted.get(id) && !table.isPlaced(id) && table.reaches(id, device);
                if (isShared && hazards.isAsync(device)) {
                    forAll.set(device);
                }
            }
        }
    }
}
