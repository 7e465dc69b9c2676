package dev.stowage.packing;

/**
 * The progress of a packer.
 *
 * @param height the height of the best solution so far
 * @param lowerBound the proven lower bound so far
 * @param steps the steps used
 */
public record PackingProgress(long height, long lowerBound, long steps) {}
