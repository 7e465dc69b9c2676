package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import java.util.BitSet;

/**
 * Whom a pipeline waits for before the caller may write the inputs of its next run: devices that work on while the caller
 * does something else and read an input where it lies. An input that takes places in turn is free again when the run that
 * had the same place is done, any other only when the device is. Most machines have none: their inputs lie with the
 * processor, and accelerators get copies that the runs before have waited for.
 */
final class InputWaits {

    private static final int[] NOBODY = {};
    private static final InputWaits NONE = new InputWaits(NOBODY, NOBODY);

    private final int[] forTurn;
    private final int[] forAll;

    private InputWaits(int[] forTurn, int[] forAll) {
        this.forTurn = forTurn;
        this.forAll = forAll;
    }

    static InputWaits of(Board board, Splitting splitting, Hazards hazards, Copies copies, int pipeline) {
        if (pipeline == 1 || !hazards.isAnyAsync()) {
            return NONE;
        }
        Graph graph = board.graph();
        BitSet turning = new BitSet();
        for (int index = 0; index < splitting.graphInputCount(); index++) {
            turning.set(splitting.graphInput(index), copies.spares(index).length > 0);
        }
        BitSet forTurn = new BitSet();
        BitSet forAll = new BitSet();
        for (int id = 0; id < graph.nodeCount(); id++) {
            int device = board.device(id);
            for (int slot = graph.firstSlot(id); hazards.isAsync(device) && slot < graph.endSlot(id); slot++) {
                int source = graph.sourceAt(slot);
                if (source != Graph.NO_ID && graph.isInput(board.root(source)) && board.reaches(source, device)) {
                    (turning.get(board.root(source)) ? forTurn : forAll).set(device);
                }
            }
        }
        addUsersOfPlaces(board, hazards, turning, forAll);
        forTurn.andNot(forAll);
        return new InputWaits(forTurn.stream().toArray(), forAll.stream().toArray());
    }

    /** Where an input does not take places in turn, its place may be that of something else later in the run. */
    private static void addUsersOfPlaces(Board board, Hazards hazards, BitSet turning, BitSet forAll) {
        Graph graph = board.graph();
        for (int id = 0; id < graph.size(); id++) {
            for (int device = 0; graph.isInput(id) && device < board.devices().count(); device++) {
                boolean isShared = !turning.get(id) && !board.isPlaced(id) && board.reaches(id, device);
                if (isShared && hazards.isAsync(device)) {
                    forAll.set(device);
                }
            }
        }
    }

    /** The devices whose run of the same turn must be done. */
    int[] forTurn() {
        return forTurn;
    }

    /** The devices that must be done with everything. */
    int[] forAll() {
        return forAll;
    }
}
