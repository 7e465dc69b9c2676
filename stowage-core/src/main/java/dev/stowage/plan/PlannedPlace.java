package dev.stowage.plan;

/**
 * A place in planned memory.
 *
 * @param buffer the number of the buffer in the plan
 * @param chunk the chunk of that buffer
 * @param offset where in the chunk it begins
 * @param size how many bytes it has
 */
public record PlannedPlace(int buffer, int chunk, long offset, long size) {}
