package dev.stowage.packing;

/**
 * Gives every buffer of a problem an offset. A packer is thread-safe and a pure function of problem and budget, as long
 * as the budget is in steps.
 */
public interface Packer {

    /** The name for {@link Packers#named}. */
    String name();

    /** Packs as well as the budget allows; every budget gives a solution. */
    PackingResult pack(Problem problem, Budget budget);
}
