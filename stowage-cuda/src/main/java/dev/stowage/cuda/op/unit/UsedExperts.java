package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.program.Launch;

/**
 * Experts are chosen on the device: the matrices are those of the first expert.
 *
 * @param ids the numbers of the used experts of the first token
 * @param used how many experts a token uses
 * @param tokenStride numbers from the ids of one token to those of the next
 * @param bytes the bytes of an expert's matrix
 * @param shares what the results of the used experts of the first token are multiplied with before they are added
 *     up, or {@link Pointers#NONE} where each has a result of its own
 * @param shareStride floats from the shares of one token to those of the next
 */
record UsedExperts(
        Launch.Argument ids, int used, long tokenStride, long bytes, Launch.Argument shares, long shareStride) {

    boolean areAddedUp() {
        return !shares.equals(Pointers.NONE);
    }
}
