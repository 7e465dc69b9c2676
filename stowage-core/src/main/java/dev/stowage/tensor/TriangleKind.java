package dev.stowage.tensor;

/** Which triangle of a square matrix {@link Op#TRI} keeps; the rest becomes zero. */
public enum TriangleKind {
    /** Above the diagonal, and the diagonal itself. */
    UPPER_DIAG,
    /** Above the diagonal, without it. */
    UPPER,
    /** Below the diagonal, and the diagonal itself. */
    LOWER_DIAG,
    /** Below the diagonal, without it. */
    LOWER
}
