package dev.stowage.cli.plan;

import dev.stowage.cli.option.ByteSizeConverter;
import dev.stowage.cli.option.CountConverter;
import dev.stowage.cli.option.FreeMemory;
import dev.stowage.cli.option.LayersOnOption;
import dev.stowage.cli.option.ProcessOverhead;
import dev.stowage.error.StowageException;
import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.llm.fit.DevicePlan;
import dev.stowage.llm.fit.DevicePlanner;
import dev.stowage.llm.fit.FileDecoder;
import dev.stowage.llm.fit.LargestContext;
import dev.stowage.llm.fit.Workload;
import dev.stowage.plan.Planner;
import dev.stowage.schedule.PipelineCopies;
import dev.stowage.schedule.ScheduleOptions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that configure which devices a model is distributed over, and how. */
final class DeviceArguments {
    private static final List<String> NEED_DEVICES = List.of(
            "--layers-on", "-ngl", "--fit", "--placement", "--pipeline", "--lean-pipeline", "--offload", "--reserve");
    private static final List<String> OF_ONE_MEMORY = List.of("--budget", "--reorder");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--devices",
            paramLabel = "LIST",
            converter = DeviceListConverter.class,
            description = "Distribute the model over the devices of a machine that need not exist, such as"
                    + " gpu:24GiB,gpu:24GiB,cpu: each with its memory after a colon, or without a limit, the most"
                    + " important first, the cpu last; rpc:HOST:PORT stands for all devices of that server, with the"
                    + " memory they have free. Embeddings and inputs stay on the cpu, as in llama.cpp. The job"
                    + " fails if the model does not fit. Default for a file: this machine.")
    private @Nullable DeviceList devices;

    @Option(
            names = "--reserve",
            paramLabel = "SIZE",
            split = ",",
            converter = ByteSizeConverter.UnitOptional.class,
            description =
                    "Leave so much memory of each device free, such as 1GiB: one size for all of them, or one for each"
                            + " in order, separated by commas. Default: nothing is left.")
    private List<Long> reserve = List.of();

    @Mixin
    private LayersOnOption layersOn = new LayersOnOption();

    @Option(
            names = "--fit",
            description =
                    "Find the split that takes most layers off the cpu and fits, print the --layers-on that requests it,"
                            + " and how large the context can be.")
    private boolean fit;

    @Option(
            names = "--placement",
            paramLabel = "NAME",
            defaultValue = "ggml",
            converter = PlacementConverter.class,
            completionCandidates = PlacementConverter.Names.class,
            description =
                    "The rule that assigns nodes to devices: ${COMPLETION-CANDIDATES}. 'cost' starts from what ggml does"
                            + " and moves what is predicted to take less time elsewhere, by speeds that are usual for such"
                            + " devices and are printed. Default: ${DEFAULT-VALUE}.")
    private PlacementChoice placement = PlacementChoice.GGML;

    @Option(
            names = "--pipeline",
            paramLabel = "N",
            defaultValue = "1",
            converter = CountConverter.class,
            description = "How many batches can be in flight at once, each on another device. llama.cpp allows for "
                    + ScheduleOptions.DEFAULT_PIPELINE + " where several gpus hold all layers. Default:"
                    + " ${DEFAULT-VALUE}, no pipeline.")
    private int pipeline;

    @Option(
            names = "--lean-pipeline",
            description =
                    "Copy for batches in flight only what they could overwrite for each other. Default: everything"
                            + " that goes from device to device, as in llama.cpp.")
    private boolean lean;

    @Option(
            names = "--offload",
            description = "Have gpus take ops on 32 rows or more although the weights are on the cpu, and copy these"
                    + " over for each run, as in llama.cpp. Default: on this machine, as a run does it; on devices that"
                    + " are named with --devices, ops are computed where their weights are.")
    private boolean offload;

    /** Whether it is this machine that is planned for. */
    private boolean here;

    private List<DeviceBudget> machine = List.of();

    /**
     * Whether a model is to be distributed over devices: those that are given, or for a file those of this machine, unless a
     * plan in one memory is requested.
     *
     * @throws ParameterException if there are options about devices but no devices, or options that do not go with them
     */
    boolean areRequested(Workload run) {
        if (devices == null
                && run instanceof FileDecoder
                && OF_ONE_MEMORY.stream().noneMatch(this::isGiven)) {
            machine = LocalMachine.devices();
            here = true;
        } else if (devices != null) {
            machine = devices.budgets();
        }
        if (machine.isEmpty()) {
            refuse(NEED_DEVICES, " needs devices: name them with --devices");
            return false;
        }
        refuse(OF_ONE_MEMORY, " is for a plan in one memory: with --devices, each has its own limit and order");
        machine = withReserve(machine);
        return true;
    }

    /** The devices without what is to stay free there. */
    private List<DeviceBudget> withReserve(List<DeviceBudget> devices) {
        if (reserve.isEmpty()) {
            return devices;
        }
        if (reserve.size() != 1 && reserve.size() != devices.size()) {
            throw refusal("--reserve must have one size for all devices, or one for each of the " + devices.size()
                    + ", not " + reserve.size());
        }
        return IntStream.range(0, devices.size())
                .mapToObj(index -> without(devices.get(index), reserve.get(reserve.size() == 1 ? 0 : index)))
                .toList();
    }

    private static DeviceBudget without(DeviceBudget device, long bytes) {
        return device.isLimited() ? new DeviceBudget(device.device(), Math.max(0, device.bytes() - bytes)) : device;
    }

    /** Layers are distributed over devices that are named, or those of this machine, for which a file is planned. */
    private void refuse(List<String> options, String why) {
        for (String option : options) {
            if (isGiven(option)) {
                throw refusal(option + why);
            }
        }
    }

    private boolean isGiven(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    /**
     * Distributes a model over the devices.
     *
     * @throws ParameterException if the options do not suit the model or each other
     */
    DevicePlanReport report(ModelArguments.Run run, Planner planner) {
        if (lean && pipeline == 1) {
            throw refusal("--lean-pipeline needs a pipeline: add --pipeline " + ScheduleOptions.DEFAULT_PIPELINE);
        }
        layersOn.layersOn().ifPresent(counts -> check(counts, run));
        ScheduleOptions options = ScheduleOptions.defaults()
                .withEvents()
                .withPipeline(pipeline)
                .withPipelineCopies(lean ? PipelineCopies.WHERE_NEEDED : PipelineCopies.EVERYWHERE)
                .withOffloadedOps(offload || here)
                .withPlacement(placement.placement(machine))
                .withPlanner(planner);
        DevicePlanner filled = new DevicePlanner(machine, layersOn.layersOn(), options);
        DevicePlanner over =
                layersOn.gpuLayers().map(count -> gpuLayers(filled, count, run)).orElse(filled);
        return report(run, here ? over.onFirstAlone(run.how()).offloadingWhereItFits(run.how()) : over);
    }

    private DevicePlanner gpuLayers(DevicePlanner planner, int count, ModelArguments.Run run) {
        if (layersOn.layersOn().isPresent()) {
            throw refusal(
                    "-ngl and --layers-on exclude each other: one is for all devices together, the other for each");
        }
        if (fit) {
            throw refusal("--fit finds out how many layers each device gets: omit -ngl or --fit");
        }
        return planner.withGpuLayers(count, run.how());
    }

    private DevicePlanReport report(ModelArguments.Run run, DevicePlanner planner) {
        try {
            long start = System.nanoTime();
            DevicePlan plan = planner.plan(run.how());
            long nanoseconds = System.nanoTime() - start;
            Optional<LargestContext> context = fit || run.how() instanceof FileDecoder
                    ? planner.largestContext(run.how(), plan)
                    : Optional.empty();
            OptionalLong freeNow = here ? OptionalLong.of(FreeMemory.now().free()) : OptionalLong.empty();
            long overhead = here && run.how() instanceof FileDecoder decoder
                    ? ProcessOverhead.ofVocabulary(decoder.shape().vocabulary())
                    : 0;
            return new DevicePlanReport(
                    run, planner, plan, planner.advice(run.how(), plan), fit, context, overhead, freeNow, nanoseconds);
        } catch (StowageException e) {
            throw new ParameterException(
                    spec.commandLine(), run.how().name() + " is too large with these options: " + e.getMessage(), e);
        }
    }

    private void check(List<Integer> counts, ModelArguments.Run run) {
        int others = machine.size() - 1;
        if (fit) {
            throw refusal("--fit finds out how many layers each device gets: omit --layers-on or --fit");
        }
        if (counts.size() != others) {
            throw refusal("--layers-on must have a number for each device before the cpu, " + others + ", not "
                    + counts.size());
        }
        int layers = run.how().layers();
        long sum = counts.stream().mapToLong(Integer::longValue).sum();
        if (sum > layers + 1) {
            throw refusal("--layers-on has " + sum + " layers, but " + run.how().name() + " has " + layers
                    + ", and the output as one more");
        }
    }

    private ParameterException refusal(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
