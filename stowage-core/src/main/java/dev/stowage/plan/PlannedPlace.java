package dev.stowage.plan;

/**
 * A place in planned memory.
 *
 * @param buffer the number of the buffer in the plan
 * @param chunk the chunk of that buffer
 * @param offset its offset in the chunk
 * @param size its bytes
 */
public record PlannedPlace(int buffer, int chunk, long offset, long size) {}
