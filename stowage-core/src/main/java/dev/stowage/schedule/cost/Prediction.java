package dev.stowage.schedule.cost;

import java.util.List;

/**
 * What a run is predicted to take, from a {@link CostModel}: the splits, copies and waits of a run gone through in order,
 * where devices that can work side by side do.
 *
 * @param nanos what a run takes; with a pipeline, its share of what as many runs take as can be in flight
 * @param splits one after the other, as the first run goes
 */
public record Prediction(long nanos, List<PredictedSplit> splits) {

    public Prediction {
        splits = List.copyOf(splits);
    }

    /**
     * What one split takes.
     *
     * @param device the number of the device that computes it
     * @param copyNanos what the copies before it take
     * @param computeNanos what its nodes take
     * @param handedInAt when the host comes to it, from the beginning of the run
     * @param doneAt when its last node is done, from the beginning of the run
     */
    public record PredictedSplit(int device, long copyNanos, long computeNanos, long handedInAt, long doneAt) {}
}
