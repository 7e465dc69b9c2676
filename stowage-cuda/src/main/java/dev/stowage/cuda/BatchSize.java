package dev.stowage.cuda;

import dev.stowage.tensor.Tensor;

/** How many columns, tokens or rows a node computes at once, as ggml counts them to decide about offloading. */
final class BatchSize {

    /** From so many on it pays to copy weights to the GPU for one node. */
    private static final long WORTH_OFFLOADING = 32;

    private BatchSize() {}

    static boolean isWorthOffloading(Tensor node) {
        return of(node) >= WORTH_OFFLOADING;
    }

    static long of(Tensor node) {
        return switch (node.op()) {
            case GET_ROWS -> 0; // it reads a few rows of a large table
            case MUL_MAT -> node.dim(1);
            case MUL_MAT_ID, ROPE, ROPE_BACK -> node.dim(2);
            default -> node.dim(1) * node.dim(2) * node.dim(3);
        };
    }
}
