package dev.stowage.schedule.cost;

import java.util.List;

/**
 * The predicted time of a run from a {@link CostModel}, with asynchronous devices overlapping.
 *
 * @param nanos the time per run; in a pipeline, with as many runs in flight as possible
 * @param splits the splits of the first run, in order
 */
public record Prediction(long nanos, List<PredictedSplit> splits) {

    public Prediction {
        splits = List.copyOf(splits);
    }

    /**
     * The predicted time of a split.
     *
     * @param device the number of its device
     * @param copyNanos the time of its input copies
     * @param computeNanos the time of its nodes
     * @param submittedAt when the host submits it, from the start of the run
     * @param doneAt when its last node is done, from the start of the run
     */
    public record PredictedSplit(int device, long copyNanos, long computeNanos, long submittedAt, long doneAt) {}
}
