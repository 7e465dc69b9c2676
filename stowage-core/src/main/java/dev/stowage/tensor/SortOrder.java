package dev.stowage.tensor;

/** Which way {@link Op#ARGSORT} sorts. */
public enum SortOrder {
    /** Smallest first. */
    ASC,
    /** Largest first. */
    DESC
}
