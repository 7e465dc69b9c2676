package dev.stowage.schedule;

import dev.stowage.graph.Graph;

/**
 * Whether a device needs a copy of a tensor to read it, for all tensors and devices of a board on which everything has a
 * device. The answer depends only on the device of the tensor, its memory, and that of what it is a view of, so it is worked
 * out once for every combination of those.
 */
final class CopyNeeds {

    private final int devices;
    /** By tensor the number of its combination. */
    private final int[] combinations;
    /** By combination and device. */
    private final boolean[] needed;

    CopyNeeds(Board board) {
        Graph graph = board.graph();
        int memories = board.memoryCount();
        this.devices = board.devices().count();
        this.combinations = new int[graph.size()];
        for (int id = 0; id < combinations.length; id++) {
            combinations[id] =
                    (board.device(id) * memories + board.memoryOf(id)) * memories + board.memoryOf(board.root(id));
        }
        this.needed = new boolean[devices * memories * memories * devices];
        int next = 0;
        for (int device = 0; device < devices; device++) {
            for (int own = 0; own < memories; own++) {
                for (int ofRoot = 0; ofRoot < memories; ofRoot++) {
                    for (int reader = 0; reader < devices; reader++) {
                        // What ggml goes by, and whether the bytes are where the reader really reaches.
                        needed[next++] = (device != reader && !board.readsMemory(own, reader))
                                || !board.readsMemory(ofRoot, reader);
                    }
                }
            }
        }
    }

    /** Whether a tensor must be copied to be read by a device. */
    boolean mustBeCopied(int id, int reader) {
        return needed[combinations[id] * devices + reader];
    }
}
