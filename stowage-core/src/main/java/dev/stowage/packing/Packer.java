package dev.stowage.packing;

/**
 * A way of giving every buffer of a problem an offset. A packer is a pure function of the problem and the budget: as long
 * as the budget is counted in steps, the same input gives the same answer. It may be used by many threads at once.
 */
public interface Packer {

    /** The name it is asked for by. */
    String name();

    /**
     * Packs as well as the budget allows. There is always a solution in the answer, however small the budget is.
     */
    PackingResult pack(Problem problem, Budget budget);
}
