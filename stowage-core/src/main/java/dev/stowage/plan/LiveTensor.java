package dev.stowage.plan;

/**
 * A tensor that takes part in the peak of a plan.
 *
 * @param id its id in the graph
 * @param name its name
 * @param bytes the bytes it takes, rounded up to the alignment
 * @param from the node that writes it, {@link Liveness#BEFORE} for what is there from the start
 * @param to the node it is kept for, the graph's node count for what is kept to the end
 * @param reason why it is there, for people
 */
public record LiveTensor(int id, String name, long bytes, int from, int to, String reason) {}
