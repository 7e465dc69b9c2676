package dev.stowage.cli.plan;

import dev.stowage.llm.fit.DevicePlan;
import dev.stowage.llm.fit.DevicePlanner;
import dev.stowage.llm.fit.FileDecoder;
import dev.stowage.llm.fit.FitAdvice;
import dev.stowage.llm.fit.LargestContext;
import dev.stowage.models.LayerPlacement;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.Split;
import dev.stowage.schedule.SplitInput;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What {@code stowage plan --devices} reports, in any format.
 *
 * @param run the model and how it is run
 * @param planner the machine and how the model is laid over it
 * @param plan the model laid over it
 * @param advice what would help if it does not fit
 * @param fitted whether the best split was requested
 * @param largestContext how large the context can be, where that is of interest
 * @param overhead what a process that runs the model takes beside what is planned; 0 where none is to run here
 * @param freeNow the bytes that are free now, where it is this machine that is planned for
 * @param nanoseconds how long planning took
 */
record DevicePlanReport(
        ModelArguments.Run run,
        DevicePlanner planner,
        DevicePlan plan,
        List<FitAdvice> advice,
        boolean fitted,
        Optional<LargestContext> largestContext,
        long overhead,
        OptionalLong freeNow,
        long nanoseconds) {

    /** What is copied from one device to another in a run. */
    record Traffic(int from, int to, int tensors, long bytes) {
        private Traffic with(SplitInput input) {
            return new Traffic(from, to, tensors + 1, bytes + input.bytes());
        }
    }

    /** What one device computes in a run. */
    record Work(int splits, int nodes) {}

    /** Whether the model fits, on this machine into what is free there now. */
    boolean fits() {
        return plan.fits() && missingNow() == 0;
    }

    /** What a process that runs the model takes of the memory of this machine. */
    long neededHere() {
        return plan.loads().getLast().total() + overhead - leftInFile();
    }

    /** Weights that stay in the file, and of which a run reads only the rows of its tokens: the embeddings. */
    long leftInFile() {
        return run.how() instanceof FileDecoder file && file.session().mapsWeights()
                ? file.blueprint().weights(LayerPlacement.INPUT).stream()
                        .mapToLong(Tensor::byteSize)
                        .sum()
                : 0;
    }

    /** How many bytes of {@link #neededHere} are not free now. */
    long missingNow() {
        return freeNow.isPresent() ? Math.max(0, neededHere() - freeNow.getAsLong()) : 0;
    }

    Schedule schedule() {
        return plan.schedule();
    }

    /** The report on the plan itself, for what both contain. */
    PlanReport asPlanReport() {
        return new PlanReport(run, schedule().plan(), nanoseconds);
    }

    /** What is copied, from whom to whom, in the order of the devices. */
    List<Traffic> traffic() {
        int count = plan.loads().size();
        List<Traffic> all = new ArrayList<>();
        for (int i = 0; i < count * count; i++) {
            all.add(new Traffic(i / count, i % count, 0, 0));
        }
        for (Split split : schedule().splits()) {
            for (SplitInput input : split.inputs()) {
                int pair = input.from() * count + input.to();
                all.set(pair, all.get(pair).with(input));
            }
        }
        return all.stream().filter(traffic -> traffic.tensors() > 0).toList();
    }

    /** What a device computes. */
    Work work(int device) {
        List<Split> splits = schedule().splits().stream()
                .filter(split -> split.device() == device)
                .toList();
        return new Work(
                splits.size(), splits.stream().mapToInt(Split::nodeCount).sum());
    }
}
