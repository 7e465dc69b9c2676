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
 * The tensors that the inputs of splits are copied to, and the spare places that inputs of the graph take in turn when
 * several runs are in flight. Named as in ggml: device, tensor, number of the copy.
 */
public final class SplitCopies {

    private static final Tensor[] NO_SPARES = {};

    private final SplitInput[] inputs;
    private final Tensor[][] spares;

    private SplitCopies(int inputs, int graphInputs) {
        this(new SplitInput[inputs], new Tensor[graphInputs][]);
    }

    private SplitCopies(SplitInput[] inputs, Tensor[][] spares) {
        this.inputs = inputs;
        this.spares = spares;
    }

    /** The same tensors to copy to, from those of a structurally identical graph. */
    public SplitCopies forGraph(Graph identical, Splitting splitting) {
        SplitInput[] others = new SplitInput[inputs.length];
        for (int input = 0; input < others.length; input++) {
            SplitInput own = inputs[input];
            Tensor source = identical.tensor(splitting.inputSource(input));
            others[input] = new SplitInput(source, own.from(), own.to(), own.copies());
        }
        return new SplitCopies(others, spares);
    }

    public static SplitCopies of(AssignmentTable board, Splitting splitting, Hazards hazards, ScheduleOptions options) {
        SplitCopies copies = new SplitCopies(splitting.inputCount(), splitting.graphInputCount());
        Graph graph = board.graph();
        boolean everywhere = options.pipelineCopies() == PipelineCopies.EVERYWHERE;
        boolean[] hasRun = new boolean[board.devices().count()];
        for (int split = 0; split < splitting.count(); split++) {
            int device = splitting.device(split);
            for (int input = splitting.firstInput(split); input < splitting.endInput(split); input++) {
                int source = splitting.inputSource(input);
                boolean byHost = isWrittenInFlight(board, source, device);
                boolean several = everywhere || (!hasRun[device] && byHost);
                int count = several ? options.copies() : 1;
                boolean isKept = options.copies() > 1 && (several || byHost);
                copies.inputs[input] = input(board, source, splitting.inputFrom(input), device, count, isKept);
            }
            hasRun[device] = true;
        }
        for (int index = 0; index < copies.spares.length; index++) {
            int id = splitting.graphInput(index);
            copies.spares[index] = everywhere || hazards.isReadInFlight(id) || hazards.isWrittenOverInFlight(id)
                    ? spares(graph, id, board.devices().name(board.device(id)), options.copies())
                    : NO_SPARES;
        }
        return copies;
    }

    /**
     * Whether the host writes the copy for a device's first split of a run while the device may still be at an earlier
     * run. Without events the host waits for all of the device's work first, and what the device copies itself comes in
     * its turn; for any later split the host has waited for the earlier ones of the same run, but not for copies that
     * others make of their results, so that even a single copy has a place that nothing else ever has.
     */
    private static boolean isWrittenInFlight(AssignmentTable board, int source, int device) {
        DeviceSet devices = board.devices();
        return devices.device(device).capabilities().contains(Capability.EVENTS)
                && (board.graph().isInput(source)
                        || !board.worksIn(board.device(source), source)
                        || !devices.device(device).copiesAsyncFrom(devices.device(board.device(source))));
    }

    private static SplitInput input(
            AssignmentTable board, int source, int from, int device, int count, boolean isKept) {
        Graph graph = board.graph();
        Tensor original = graph.tensor(source);
        Tensor[] copies = new Tensor[count];
        for (int copy = 0; copy < count; copy++) {
            copies[copy] = copy(graph, source, board.devices().name(device), copy);
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
        String number = copy == 0 ? "0" : Integer.toString(copy);
        return Tensor.leaf(graph.tensor(id).layout()).named(device + "#" + graph.label(id) + "#" + number);
    }

    /** What an input brings over, and to which tensors. */
    public SplitInput input(int number) {
        return inputs[number];
    }

    /** The places beside its own that an input of the graph takes in turn; none if it always has the same. */
    public Tensor[] spares(int graphInput) {
        return spares[graphInput];
    }
}
