package dev.stowage.plan;

import java.util.Comparator;

/**
 * A tensor that is live at the peak of a plan.
 *
 * @param id its id in the graph
 * @param name its name
 * @param bytes its bytes, rounded up to the alignment
 * @param from the node that writes it, {@link Liveness#BEFORE} for inputs and leaves
 * @param to its last reader, the graph's node count for outputs
 * @param reason why it is live, human-readable
 */
public record LiveTensor(int id, String name, long bytes, int from, int to, String reason) {

    static final Comparator<LiveTensor> LARGEST_FIRST =
            Comparator.comparingLong(LiveTensor::bytes).reversed().thenComparingInt(LiveTensor::id);
}
