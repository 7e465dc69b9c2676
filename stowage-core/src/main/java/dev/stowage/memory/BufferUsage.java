package dev.stowage.memory;

/** What a buffer is for. A scheduler reads it: an op runs preferably where its weights lie. */
public enum BufferUsage {
    /** Nothing has been said. */
    ANY,
    /** Weights: written once, read by many runs. */
    WEIGHTS,
    /** Results in passing: rewritten by every run. */
    COMPUTE
}
