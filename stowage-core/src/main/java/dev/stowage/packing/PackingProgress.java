package dev.stowage.packing;

/**
 * How far a packer is.
 *
 * @param height the height of the best solution so far
 * @param lowerBound no solution is lower than this, as far as is known
 * @param steps the steps used
 */
public record PackingProgress(long height, long lowerBound, long steps) {}
