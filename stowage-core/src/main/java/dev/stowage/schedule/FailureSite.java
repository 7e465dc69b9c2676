package dev.stowage.schedule;

import dev.stowage.error.DeviceException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.error.RunException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Finds the split in which a run failed. An asynchronous device reports a failure at the next wait, which may be splits
 * later and on another device, so the tensor and device it reports count for more than the running split.
 */
final class FailureSite {

    /** The split is not known. */
    static final int NO_SPLIT = -1;

    /** The call that devices report when a node has failed. */
    private static final String KERNEL = "compute";

    private final Schedule schedule;
    private final DeviceException origin;

    private FailureSite(Schedule schedule, DeviceException origin) {
        this.schedule = schedule;
        this.origin = origin;
    }

    /** The failure with its split, as far as known, and the node or copy that the device reported. */
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

    /** A failure caused by the loss of a device, with the loss as its direct cause. */
    private static RunException lost(int split, int splits, DeviceLostException loss, Throwable failure) {
        RunException reported = RunException.of(split, splits, loss.device(), Optional.empty(), loss);
        if (failure != loss) {
            reported.addSuppressed(failure);
        }
        return reported;
    }

    /** The loss of a device among the causes of a failure. */
    static Optional<DeviceLostException> lossIn(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof DeviceLostException lost) {
                return Optional.of(lost);
            }
        }
        return Optional.empty();
    }

    /** The innermost device failure; those around it only waited for it. */
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
        if (running != NO_SPLIT && (isKernel ? computes(splits.get(running)) : copies(splits.get(running)))) {
            return running;
        }
        return splits.stream()
                .filter(isKernel ? this::computes : split -> copies(split) || computes(split))
                .findFirst()
                .map(Split::index)
                .orElse(running);
    }

    private boolean copies(Split split) {
        return split.inputs().stream()
                .anyMatch(input -> (isOn(input.to()) && isAbout(input.copies()))
                        || (isOn(input.from()) && isAbout(List.of(input.source()))));
    }

    private boolean computes(Split split) {
        Graph graph = schedule.graph();
        return isOn(split.device())
                && IntStream.range(split.firstNode(), split.endNode())
                        .anyMatch(node -> !graph.isViewOp(node) && isAbout(List.of(graph.node(node))));
    }

    private boolean isOn(int device) {
        return schedule.devices().name(device).equals(origin.device());
    }

    private boolean isAbout(List<Tensor> tensors) {
        return tensors.stream().anyMatch(tensor -> origin.tensor().equals(Optional.of(tensor.describe())));
    }
}
