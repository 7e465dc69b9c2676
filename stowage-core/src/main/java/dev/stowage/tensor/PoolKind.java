package dev.stowage.tensor;

/** What a pooling op keeps of the elements under its window. */
public enum PoolKind {
    /** The largest of them. */
    MAX,
    /** Their mean. */
    AVG
}
