package dev.stowage.testkit.simulated;

/** The ways in which a simulated device can be made to fail. */
public enum FaultKind {
    /** There is not enough memory for it. */
    OUT_OF_MEMORY,
    /** The transfer, the kernel or the event fails. */
    FAILURE,
    /** The call never ends by itself: it waits until it is interrupted, and fails then. */
    HANG
}
