package dev.stowage.llm.fit;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.StowageException;
import dev.stowage.models.LayerPlacement;
import dev.stowage.schedule.Placement;
import dev.stowage.schedule.ScheduleOptions;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Plans models over devices: with the layers each device is to have, or filling the devices in order. Immutable; every
 * answer is a function of the planner and the model.
 *
 * @param devices the devices in order of priority; the last one, usually the processor, has the inputs and gets what is
 *     left
 * @param layersOn how many layers each device but the last gets; empty to fill the devices in order
 * @param options how graphs are scheduled
 */
public record DevicePlanner(List<DeviceBudget> devices, Optional<List<Integer>> layersOn, ScheduleOptions options) {

    /**
     * @throws InvalidPlanException if there is no device, or layers are not given for every device but the last
     */
    public DevicePlanner {
        devices = List.copyOf(devices);
        layersOn = layersOn.map(List::copyOf);
        Objects.requireNonNull(options);
        if (devices.isEmpty()) {
            throw new InvalidPlanException("a model needs at least one device: give the processor as the last one");
        }
        int others = devices.size() - 1;
        if (layersOn.isPresent() && layersOn.get().size() != others) {
            throw new InvalidPlanException("layers are given for "
                    + layersOn.get().size() + " devices, but there are " + others
                    + " before the last one, which gets what is left");
        }
    }

    /** Fills these devices in order, the processor last, with ggml's scheduling. */
    public static DevicePlanner over(List<DeviceBudget> devices) {
        return new DevicePlanner(
                devices, Optional.empty(), ScheduleOptions.defaults().withEvents());
    }

    /**
     * The same with so many layers on each device but the last. The output goes with the last layer, unless there is one
     * more than the model has layers, which then is the output.
     */
    public DevicePlanner withLayersOn(List<Integer> counts) {
        return new DevicePlanner(devices, Optional.of(counts), options);
    }

    /**
     * The same with so many layers of a model on the devices before the last together, in proportion to their memory. More
     * than the model has stand for all of them and its output. A single device has all layers whatever is asked for.
     */
    public DevicePlanner withGpuLayers(int count, Workload workload) {
        if (devices.size() == 1) {
            return this;
        }
        int[] counts = LayerSpread.over(Math.min(count, workload.layers() + 1), devices.subList(0, devices.size() - 1));
        return withLayersOn(IntStream.of(counts).boxed().toList());
    }

    /** The same, filling the devices in order. */
    public DevicePlanner withFilledDevices() {
        return new DevicePlanner(devices, Optional.empty(), options);
    }

    /** The same with graphs scheduled in another way. */
    public DevicePlanner withOptions(ScheduleOptions changed) {
        return new DevicePlanner(devices, layersOn, changed);
    }

    /**
     * The same with ggml's placement: any other takes no more memory, but takes longer to be found.
     */
    DevicePlanner withQuickPlacement() {
        return withOptions(options.withPlacement(Placement.ggml()));
    }

    /**
     * Plans a model: which layers are where, and what each device holds, whether it fits or not.
     *
     * @throws StowageException if the model cannot be run this way, more layers are asked for than there
     *     are, or it has more bytes than can be counted
     */
    public DevicePlan plan(Workload workload) {
        if (isFilled() && options.placement().equals(Placement.ggml())) {
            return fill(workload);
        }
        return DevicePlan.of(workload, devices, layers(workload), options);
    }

    /**
     * Which layers go where, as in {@link #plan}; where that is decided already nothing is scheduled.
     *
     * @throws StowageException as {@link #plan}
     */
    public LayerPlacement layers(Workload workload) {
        if (isFilled()) {
            return devices.size() == 1
                    ? LayerPlacement.inRow(workload.layers())
                    : fill(workload).layers();
        }
        int[] counts =
                layersOn.orElseThrow().stream().mapToInt(Integer::intValue).toArray();
        long asked =
                layersOn.orElseThrow().stream().mapToLong(Integer::longValue).sum();
        if (asked > workload.layers() + 1L) {
            throw new InvalidPlanException(asked + " layers are asked for, but the model has " + workload.layers()
                    + ", or " + (workload.layers() + 1) + " with its output");
        }
        return LayerPlacement.ofLayers(workload.layers(), counts);
    }

    /**
     * This planner with only the first device, where that has room for the whole model and computes all of it: then no
     * token crosses from one device to another. Else this planner.
     */
    public DevicePlanner onFirstAlone(Workload workload) {
        if (devices.size() == 1 || !isFilled()) {
            return this;
        }
        DevicePlanner alone = new DevicePlanner(List.of(devices.getFirst()), Optional.empty(), options);
        try {
            return alone.plan(workload).fits() ? alone : this;
        } catch (StowageException _) {
            // It does not compute all of it.
            return this;
        }
    }

    /**
     * This planner, or the same without offloaded ops, where a device has too little memory for these and the model fits
     * without them.
     */
    public DevicePlanner offloadingWhereItFits(Workload workload) {
        if (!options.offloadsOps() || devices.size() == 1) {
            return this;
        }
        DevicePlanner without = withOptions(options.withOffloadedOps(false));
        return !plan(workload).fits() && without.plan(workload).fits() ? without : this;
    }

    private boolean isFilled() {
        return layersOn.isEmpty();
    }

    private DevicePlan fill(Workload workload) {
        DevicePlan filled =
                new LayerFill(workload, devices, withQuickPlacement().options()).fill();
        return spread(workload, filled).filter(DevicePlan::fits).orElse(filled);
    }

    /**
     * The layers in proportion to the memory of the devices, where several are needed and have room for all together: then
     * none is full while another is empty.
     */
    private Optional<DevicePlan> spread(Workload workload, DevicePlan filled) {
        List<DeviceBudget> others = devices.subList(0, devices.size() - 1);
        int[] parts = filled.layers().parts();
        boolean several = IntStream.of(parts).filter(count -> count > 0).count() > 1;
        boolean all = IntStream.of(parts).sum() == workload.layers() + 1;
        if (!several || !all || !others.stream().allMatch(DeviceBudget::isLimited)) {
            return Optional.empty();
        }
        int[] counts = LayerSpread.over(workload.layers() + 1, others);
        return Optional.of(DevicePlan.of(
                workload,
                devices,
                LayerPlacement.inRow(workload.layers(), counts),
                withQuickPlacement().options()));
    }

    /**
     * What would help where a model does not fit, first what is enough by itself; empty if it fits, or if no single change
     * helps.
     *
     * @param plan what {@link #plan} gave for the model
     */
    public List<FitAdvice> advice(Workload workload, DevicePlan plan) {
        return AdviceSearch.of(this, workload, plan);
    }

    /**
     * How large the context of a model can be; empty for models that have none, or where no device has a limit.
     *
     * @param plan what {@link #plan} gave for the model
     */
    public Optional<LargestContext> largestContext(Workload workload, DevicePlan plan) {
        return LargestContext.of(this, workload, plan);
    }
}
