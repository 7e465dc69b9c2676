package dev.stowage.schedule;

import dev.stowage.error.DeviceException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.error.RunException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * Finds out in which split a run failed. A device that works on while the caller does something else tells of a failure
 * when it is next waited for, which may be splits later and on behalf of another device, so that what it says about the
 * tensor and the device counts for more than where the run had got to.
 */
final class FailureSite {

    /** Stands for "in no split that is known". */
    static final int NO_SPLIT = -1;

    /** What devices call the running of a node when they tell that it failed. */
    private static final String KERNEL = "compute";

    private final Schedule schedule;
    private final DeviceException origin;

    private FailureSite(Schedule schedule, DeviceException origin) {
        this.schedule = schedule;
        this.origin = origin;
    }

    /** A failure with the split it was in, as far as can be said, and the node or copy where the device told. */
    static RunException locate(Schedule schedule, int running, Throwable failure) {
        Optional<DeviceLostException> loss = lossIn(failure);
        if (loss.isPresent()) {
            return lost(running, schedule.splitCount(), loss.get(), failure);
        }
        Optional<DeviceException> origin = origin(failure);
        int split = origin.map(said -> new FailureSite(schedule, said).split(running))
                .orElse(running);
        String device = origin.map(DeviceException::device)
                .orElseGet(() -> split == NO_SPLIT
                        ? schedule.devices().toString()
                        : schedule.devices().name(schedule.split(split).device()));
        return RunException.of(split, schedule.splitCount(), device, origin.flatMap(DeviceException::tensor), failure);
    }

    /** A failure that comes from the loss of a device, which is the cause, so that callers need not search for it. */
    private static RunException lost(int split, int splits, DeviceLostException loss, Throwable failure) {
        RunException reported = RunException.of(split, splits, loss.device(), Optional.empty(), loss);
        if (failure != loss) {
            reported.addSuppressed(failure);
        }
        return reported;
    }

    /** The loss of a device that a failure comes from, maybe on behalf of another device. */
    static Optional<DeviceLostException> lossIn(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof DeviceLostException lost) {
                return Optional.of(lost);
            }
        }
        return Optional.empty();
    }

    /** What failed first: who only waited for it says so and has it as the cause. */
    private static Optional<DeviceException> origin(Throwable failure) {
        DeviceException origin = null;
        for (Throwable each = failure; each instanceof DeviceException said; each = each.getCause()) {
            origin = said;
        }
        return Optional.ofNullable(origin);
    }

    private int split(int running) {
        boolean isKernel = origin.call().equals(KERNEL);
        List<Split> splits = schedule.splits();
        if (running != NO_SPLIT && (isKernel ? computes(splits.get(running)) : brings(splits.get(running)))) {
            return running;
        }
        return splits.stream()
                .filter(isKernel ? this::computes : split -> brings(split) || computes(split))
                .findFirst()
                .map(Split::index)
                .orElse(running);
    }

    private boolean brings(Split split) {
        for (SplitInput input : split.inputs()) {
            if ((isOn(input.to()) && isAbout(input.copies()))
                    || (isOn(input.from()) && isAbout(List.of(input.source())))) {
                return true;
            }
        }
        return false;
    }

    private boolean computes(Split split) {
        if (!isOn(split.device())) {
            return false;
        }
        Graph graph = schedule.graph();
        for (int node = split.firstNode(); node < split.endNode(); node++) {
            if (!graph.isViewOp(node) && isAbout(List.of(graph.node(node)))) {
                return true;
            }
        }
        return false;
    }

    private boolean isOn(int device) {
        return schedule.devices().name(device).equals(origin.device());
    }

    private boolean isAbout(List<Tensor> tensors) {
        return tensors.stream().anyMatch(tensor -> origin.tensor().equals(Optional.of(tensor.describe())));
    }
}
