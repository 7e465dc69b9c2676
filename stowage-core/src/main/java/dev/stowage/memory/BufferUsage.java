package dev.stowage.memory;

/** What a buffer is for. The scheduler prefers to run an op on the device that stores its weights. */
public enum BufferUsage {
    /** Not specified. */
    ANY,
    /** Weights: written once, read by many runs. */
    WEIGHTS,
    /** Intermediate results: overwritten by every run. */
    COMPUTE
}
