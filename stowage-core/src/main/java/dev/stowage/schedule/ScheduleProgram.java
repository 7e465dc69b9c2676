package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import dev.stowage.schedule.pass.ExpertReads;
import dev.stowage.schedule.pass.Hazards;
import dev.stowage.schedule.pass.Splitting;
import java.util.ArrayList;
import java.util.List;

/**
 * What a run of a schedule does, as data: a flat list of actions, split by split, in ggml's order of waits, copies, runs and
 * events. One loop executes it, another adds up what it takes, and {@link Schedule#explain()} prints it. The same program
 * serves every pipeline slot, each of which has events of its own. Immutable.
 *
 * <pre>
 *   split 0 on cpu    RUN 0
 *   split 1 on gpu0   SYNCHRONIZE gpu0   COPY 0   COPY 1   RUN 1
 * </pre>
 */
public final class ScheduleProgram {

    /** What an action does. */
    public enum Kind {
        /** The host waits for all work submitted to the device. */
        SYNCHRONIZE,
        /** The host waits for the event that the device last recorded in this slot. */
        WAIT_EVENT,
        /** The device waits for the event that it last recorded in this slot; the host does not. */
        AWAIT_EVENT,
        /** The host copies an input of the graph to the device, and is done when it returns. */
        COPY_INPUT,
        /** A result is copied to the device: submitted where the two devices can, otherwise the host waits for both. */
        COPY,
        /** The weights of those experts that are in use are copied to the device. */
        COPY_EXPERTS,
        /** The device runs the nodes of the split. */
        RUN,
        /** The device records its event of this slot. */
        RECORD_EVENT;

        private static final Kind[] ALL = values();

        @SuppressWarnings("EnumOrdinal") // a number within this class, which nobody keeps
        private int code() {
            return ordinal();
        }
    }

    /**
     * One action.
     *
     * @param kind what it does
     * @param split the split it belongs to
     * @param device the device it concerns
     * @param input the number of the split input that is copied, or -1
     */
    public record Action(Kind kind, int split, int device, int input) {}

    static final int NO_INPUT = -1;

    private final boolean[] hasEvents;
    private final boolean waitsForSharing;
    private final IntList kinds = new IntList(64);
    private final IntList devices = new IntList(64);
    private final IntList inputs = new IntList(64);
    private final IntList ends = new IntList(16);
    private final IntList firstNodes = new IntList(16);

    private ScheduleProgram(boolean[] hasEvents, boolean waitsForSharing) {
        this.hasEvents = hasEvents;
        this.waitsForSharing = waitsForSharing;
    }

    /**
     * The program of a graph that has been split.
     *
     * @param order the nodes in the order they run
     * @param hasEvents which devices order their work by events
     * @param waitsForSharing whether the host waits for other devices only where memory is shared; ggml has it wait before
     *     every split without inputs too
     */
    static ScheduleProgram of(
            Graph graph,
            Splitting splitting,
            Hazards hazards,
            int[] order,
            boolean[] hasEvents,
            boolean waitsForSharing) {
        ScheduleProgram program = new ScheduleProgram(hasEvents, waitsForSharing);
        for (int split = 0; split < splitting.count(); split++) {
            int first = splitting.firstNode(split);
            program.firstNodes.add(first < splitting.endNode(split) ? order[first] : Graph.NO_ID);
            program.addWaits(splitting, hazards, split);
            for (int input = splitting.firstInput(split); input < splitting.endInput(split); input++) {
                program.addCopy(graph, splitting, hazards, split, input);
            }
            int device = splitting.device(split);
            program.add(Kind.RUN, device, NO_INPUT);
            if (hasEvents[device]) {
                program.add(Kind.RECORD_EVENT, device, NO_INPUT);
            }
            program.ends.add(program.kinds.size());
        }
        return program;
    }

    /** Devices that may still be at work in the memory the split works in, or in that its inputs are copied from. */
    private void addWaits(Splitting splitting, Hazards hazards, int split) {
        int device = splitting.device(split);
        for (int other = 0; other < hasEvents.length; other++) {
            boolean mustWait = mustWaitFor(hazards, device, other);
            for (int input = splitting.firstInput(split); !mustWait && input < splitting.endInput(split); input++) {
                mustWait = mustWaitFor(hazards, splitting.inputFrom(input), other);
            }
            if (mustWait) {
                add(Kind.SYNCHRONIZE, other, NO_INPUT);
            }
        }
        boolean hasInputs = splitting.firstInput(split) < splitting.endInput(split);
        if (!hasInputs && !waitsForSharing && split > 0 && splitting.device(split - 1) != device) {
            // Its memory may be used again by this split where the two share it; where they do, it is waited for above.
            addHostWait(splitting.device(split - 1));
        }
    }

    /** Where the host does not wait between splits anyway, sharing by way of a third device counts too. */
    private boolean mustWaitFor(Hazards hazards, int device, int other) {
        return waitsForSharing
                ? hazards.isAsync(other) && device != other && hazards.mayShareMemory(device, other)
                : hazards.mustWaitFor(device, other);
    }

    private void addHostWait(int device) {
        add(hasEvents[device] ? Kind.WAIT_EVENT : Kind.SYNCHRONIZE, device, NO_INPUT);
    }

    private void addCopy(Graph graph, Splitting splitting, Hazards hazards, int split, int input) {
        int source = splitting.inputSource(input);
        int from = splitting.inputFrom(input);
        int to = splitting.device(split);
        if (graph.isInput(source)) {
            if (graph.isNode(source) && graph.isComputed(source) && hazards.isAsync(from)) {
                add(Kind.SYNCHRONIZE, from, NO_INPUT);
            }
            addHostWait(to);
            add(Kind.COPY_INPUT, to, input);
            return;
        }
        add(hasEvents[to] ? Kind.AWAIT_EVENT : Kind.SYNCHRONIZE, to, NO_INPUT);
        boolean experts = ExpertReads.areCopiedInParts(graph, firstNodes.get(split), source);
        add(experts ? Kind.COPY_EXPERTS : Kind.COPY, to, input);
        if (waitsForSharing && hasEvents[from] && hazards.isAsync(to)) {
            // The producer waits for the copy, and who waits for its event from now on, before its memory is used
            // again, does so too.
            add(Kind.RECORD_EVENT, from, NO_INPUT);
        }
    }

    private void add(Kind kind, int device, int input) {
        kinds.add(kind.code());
        devices.add(device);
        inputs.add(input);
    }

    /** How many splits there are. */
    public int splitCount() {
        return ends.size();
    }

    /** The number of the first action of a split. */
    int first(int split) {
        return split == 0 ? 0 : ends.get(split - 1);
    }

    /** One past the number of the last action of a split. */
    int end(int split) {
        return ends.get(split);
    }

    /** The node that a split runs first, by its id in the graph. */
    int firstNode(int split) {
        return firstNodes.get(split);
    }

    Kind kind(int action) {
        return Kind.ALL[kinds.get(action)];
    }

    int device(int action) {
        return devices.get(action);
    }

    int input(int action) {
        return inputs.get(action);
    }

    /** Whether a device orders its work by events, one for each slot. */
    boolean hasEvents(int device) {
        return hasEvents[device];
    }

    /** All actions in order. */
    public List<Action> actions() {
        List<Action> actions = new ArrayList<>(kinds.size());
        for (int split = 0; split < splitCount(); split++) {
            actions.addAll(actions(split));
        }
        return List.copyOf(actions);
    }

    /** The actions of one split in order. */
    public List<Action> actions(int split) {
        List<Action> actions = new ArrayList<>();
        for (int action = first(split); action < end(split); action++) {
            actions.add(new Action(kind(action), split, device(action), input(action)));
        }
        return List.copyOf(actions);
    }

    @Override
    public String toString() {
        return "ScheduleProgram[" + splitCount() + " splits, " + kinds.size() + " actions]";
    }
}
