package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.pass.AssignmentTable;
import dev.stowage.schedule.pass.Hazards;
import dev.stowage.schedule.pass.SplitCopies;
import dev.stowage.schedule.pass.Splitting;
import java.util.BitSet;

/**
 * Whom a pipeline waits for before the caller may write the inputs of its next run: devices that work on while the caller
 * does something else and read an input where it is stored. An input that has a place in every slot is free again when the
 * run that had the same slot is done, any other only when the device is. Most machines have none: their inputs are stored
 * with the processor, and accelerators get copies that the runs before have waited for.
 */
final class InputWaits {

    private static final int[] NOBODY = {};
    static final InputWaits NONE = new InputWaits(NOBODY, NOBODY);

    private final int[] forSlot;
    private final int[] forAll;

    private InputWaits(int[] forSlot, int[] forAll) {
        this.forSlot = forSlot;
        this.forAll = forAll;
    }

    static InputWaits of(
            AssignmentTable board, Splitting splitting, Hazards hazards, SplitCopies copies, int pipeline) {
        if (pipeline == 1 || !hazards.isAnyAsync()) {
            return NONE;
        }
        Graph graph = board.graph();
        BitSet slotted = new BitSet();
        for (int index = 0; index < splitting.graphInputCount(); index++) {
            slotted.set(splitting.graphInput(index), copies.spares(index).length > 0);
        }
        BitSet forSlot = new BitSet();
        BitSet forAll = new BitSet();
        for (int id = 0; id < graph.nodeCount(); id++) {
            int device = board.device(id);
            for (int slot = graph.firstSlot(id); hazards.isAsync(device) && slot < graph.endSlot(id); slot++) {
                int source = graph.sourceAt(slot);
                if (source != Graph.NO_ID && graph.isInput(board.root(source)) && board.reaches(source, device)) {
                    (slotted.get(board.root(source)) ? forSlot : forAll).set(device);
                }
            }
        }
        addUsersOfPlaces(board, hazards, slotted, forAll);
        forSlot.andNot(forAll);
        return new InputWaits(forSlot.stream().toArray(), forAll.stream().toArray());
    }

    /** Where an input has only one place, that may be that of something else later in the run. */
    private static void addUsersOfPlaces(AssignmentTable board, Hazards hazards, BitSet slotted, BitSet forAll) {
        Graph graph = board.graph();
        for (int id = 0; id < graph.size(); id++) {
            for (int device = 0; graph.isInput(id) && device < board.devices().count(); device++) {
                boolean isShared = !slotted.get(id) && !board.isPlaced(id) && board.reaches(id, device);
                if (isShared && hazards.isAsync(device)) {
                    forAll.set(device);
                }
            }
        }
    }

    /** The devices whose run of the same slot must be done. */
    int[] forSlot() {
        return forSlot;
    }

    /** The devices that must be done with everything. */
    int[] forAll() {
        return forAll;
    }
}
