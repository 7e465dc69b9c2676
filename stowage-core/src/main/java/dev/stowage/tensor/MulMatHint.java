package dev.stowage.tensor;

/** What the caller knows about a matrix product that may help to compute it; never needed for the right result. */
public enum MulMatHint {
    /** Nothing. */
    NONE,
    /** The first matrix is a Hadamard matrix, so a fast transform can take the place of the product. */
    FIRST_IS_HADAMARD
}
