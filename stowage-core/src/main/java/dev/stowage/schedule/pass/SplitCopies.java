package dev.stowage.schedule.pass;

import dev.stowage.device.Capability;
import dev.stowage.graph.Graph;
import dev.stowage.schedule.DeviceSet;
import dev.stowage.schedule.PipelineCopies;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.SplitInput;
import dev.stowage.tensor.Tensor;
import java.util.List;

/**
 * The tensors that split inputs are copied to, and the spare places of graph inputs in a pipeline, one per further
 * slot. Named as in ggml: device, tensor, number of the copy.
 */
public final class SplitCopies {

    private static final Tensor[] NO_SPARES = {};

    private final SplitInput[] inputs;
    private final Tensor[][] spares;

    private SplitCopies(SplitInput[] inputs, Tensor[][] spares) {
        this.inputs = inputs;
        this.spares = spares;
    }

    public SplitCopies forGraph(Graph identical, Splitting splitting) {
        SplitInput[] others = new SplitInput[inputs.length];
        for (int input = 0; input < others.length; input++) {
            SplitInput own = inputs[input];
            Tensor source = identical.tensor(splitting.input(input).source());
            others[input] = new SplitInput(source, own.from(), own.to(), own.copies());
        }
        return new SplitCopies(others, spares);
    }

    public static SplitCopies of(AssignmentTable table, Splitting splitting, Hazards hazards, ScheduleOptions options) {
        SplitCopies copies =
                new SplitCopies(new SplitInput[splitting.inputCount()], new Tensor[splitting.graphInputCount()][]);
        Graph graph = table.graph();
        boolean everywhere = options.pipelineCopies() == PipelineCopies.EVERYWHERE;
        boolean[] hasRun = new boolean[table.devices().count()];
        for (int split = 0; split < splitting.count(); split++) {
            int device = splitting.device(split);
            for (int input = splitting.firstInput(split); input < splitting.endInput(split); input++) {
                int source = splitting.input(input).source();
                boolean byHost = isWrittenInFlight(table, source, device);
                boolean several = everywhere || (!hasRun[device] && byHost);
                int count = several ? options.copies() : 1;
                boolean isKept = options.copies() > 1 && (several || byHost);
                copies.inputs[input] =
                        input(table, source, splitting.input(input).from(), device, count, isKept);
            }
            hasRun[device] = true;
        }
        for (int index = 0; index < copies.spares.length; index++) {
            int id = splitting.graphInput(index);
            copies.spares[index] = everywhere || hazards.isReadInFlight(id) || hazards.isWrittenOverInFlight(id)
                    ? spares(graph, id, table.devices().name(table.device(id)), options.copies())
                    : NO_SPARES;
        }
        return copies;
    }

    /**
     * Whether the host may write a copy while the device is still at an earlier run. Without events the host waits for
     * the device first, and copies by the device itself are ordered by its stream. For later splits the host has waited
     * for earlier ones of the run, but not for copies of their results by others, so even a single copy has a place
     * that is not shared.
     */
    private static boolean isWrittenInFlight(AssignmentTable table, int source, int device) {
        DeviceSet devices = table.devices();
        return devices.device(device).capabilities().contains(Capability.EVENTS)
                && (table.graph().isInput(source)
                        || !table.worksIn(table.device(source), source)
                        || !devices.device(device).copiesAsyncFrom(devices.device(table.device(source))));
    }

    private static SplitInput input(
            AssignmentTable table, int source, int from, int device, int count, boolean isKept) {
        Graph graph = table.graph();
        Tensor original = graph.tensor(source);
        String name = table.devices().name(device);
        Tensor[] copies = new Tensor[count];
        for (int copy = 0; copy < count; copy++) {
            copies[copy] = copy(graph, source, name, copy);
            if (isKept) {
                copies[copy].asInput().asOutput();
            }
        }
        return new SplitInput(original, from, device, List.of(copies));
    }

    private static Tensor[] spares(Graph graph, int id, String device, int count) {
        Tensor[] spares = new Tensor[count - 1];
        for (int copy = 1; copy < count; copy++) {
            spares[copy - 1] = copy(graph, id, device, copy).asInput().asOutput();
        }
        return spares;
    }

    private static Tensor copy(Graph graph, int id, String device, int copy) {
        return Tensor.leaf(graph.tensor(id).layout()).named(() -> device + "#" + graph.label(id) + "#" + copy);
    }

    public SplitInput input(int number) {
        return inputs[number];
    }

    /** The places of a graph input in the slots after the first; none if it has a single place. */
    public Tensor[] spares(int graphInput) {
        return spares[graphInput];
    }
}
