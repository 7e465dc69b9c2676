package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import dev.stowage.schedule.pass.ExpertReads;
import dev.stowage.schedule.pass.Hazards;
import dev.stowage.schedule.pass.Splitting;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A run of a schedule as data: a flat list of actions, split by split, in the order of {@code
 * ggml_backend_sched_compute_splits}. {@link Runner} executes it, {@link DryRun} predicts its time, {@link
 * Schedule#explain()} prints it. It serves every pipeline slot; each slot has its own events. Immutable.
 *
 * <pre>
 *   split 0 on cpu    RUN 0
 *   split 1 on gpu0   SYNCHRONIZE gpu0   COPY 0   COPY 1   RUN 1
 * </pre>
 */
public final class ScheduleProgram {

    public enum Kind {
        /** The host waits for all work submitted to the device. */
        SYNCHRONIZE,
        /** The host waits for the event that the device last recorded in this slot. */
        WAIT_EVENT,
        /** The device waits for the event that it last recorded in this slot; the host does not. */
        AWAIT_EVENT,
        /** The host copies a graph input to the device, synchronously. */
        COPY_INPUT,
        /**
         * A result is copied to the device, asynchronously if the two devices can; otherwise the host waits for both.
         */
        COPY,
        /** The weights of the experts in use are copied to the device. */
        COPY_EXPERTS,
        /** The device runs the nodes of the split. */
        RUN,
        /** The device records its event of this slot. */
        RECORD_EVENT
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
    private final Kind[] kinds;
    private final int[] devices;
    private final int[] inputs;
    private final int[] ends;
    private final int[] firstNodes;

    private ScheduleProgram(Builder built) {
        this.hasEvents = built.hasEvents;
        this.kinds = built.kinds.toArray(Kind[]::new);
        this.devices = built.devices.toArray();
        this.inputs = built.inputs.toArray();
        this.ends = built.ends.toArray();
        this.firstNodes = built.firstNodes.toArray();
    }

    /**
     * The program of a split graph.
     *
     * @param order the nodes in the order they run; empty for that of the graph
     * @param hasEvents which devices use events
     * @param waitsForSharing whether the host waits for other devices only if memory is shared; in ggml it also waits
     *     before every split without inputs
     */
    static ScheduleProgram of(
            Graph graph,
            Splitting splitting,
            Hazards hazards,
            int[] order,
            boolean[] hasEvents,
            boolean waitsForSharing) {
        Builder program = new Builder(graph, splitting, hazards, hasEvents, waitsForSharing);
        for (int split = 0; split < splitting.count(); split++) {
            int first = splitting.firstNode(split);
            program.firstNodes.add(first < splitting.endNode(split) ? PreferredOrder.node(order, first) : Graph.NO_ID);
            program.addSplit(split);
        }
        return new ScheduleProgram(program);
    }

    /** The actions so far, and what they are derived from. */
    private static final class Builder {

        private final Graph graph;
        private final Splitting splitting;
        private final Hazards hazards;
        private final boolean[] hasEvents;
        private final boolean waitsForSharing;
        private final List<Kind> kinds = new ArrayList<>();
        private final IntList devices = new IntList(64);
        private final IntList inputs = new IntList(64);
        private final IntList ends = new IntList(16);
        private final IntList firstNodes = new IntList(16);

        Builder(Graph graph, Splitting splitting, Hazards hazards, boolean[] hasEvents, boolean waitsForSharing) {
            this.graph = graph;
            this.splitting = splitting;
            this.hazards = hazards;
            this.hasEvents = hasEvents;
            this.waitsForSharing = waitsForSharing;
        }

        private void addSplit(int split) {
            addWaits(split);
            for (int input = splitting.firstInput(split); input < splitting.endInput(split); input++) {
                addCopy(split, input);
            }
            int device = splitting.device(split);
            add(Kind.RUN, device, NO_INPUT);
            if (hasEvents[device]) {
                add(Kind.RECORD_EVENT, device, NO_INPUT);
            }
            ends.add(kinds.size());
        }

        /** Waits for devices that may still use the memory of the split or of its inputs. */
        private void addWaits(int split) {
            int device = splitting.device(split);
            for (int other = 0; other < hasEvents.length; other++) {
                boolean mustWait = mustWaitFor(device, other);
                for (int input = splitting.firstInput(split); !mustWait && input < splitting.endInput(split); input++) {
                    mustWait = mustWaitFor(splitting.inputFrom(input), other);
                }
                if (mustWait) {
                    add(Kind.SYNCHRONIZE, other, NO_INPUT);
                }
            }
            boolean hasInputs = splitting.firstInput(split) < splitting.endInput(split);
            if (!hasInputs && !waitsForSharing && split > 0 && splitting.device(split - 1) != device) {
                // As in ggml; shared memory is waited for above.
                addHostWait(splitting.device(split - 1));
            }
        }

        /** If the host does not wait between splits, sharing through a third device counts too. */
        private boolean mustWaitFor(int device, int other) {
            return waitsForSharing
                    ? hazards.isAsync(other) && device != other && hazards.mayShareMemory(device, other)
                    : hazards.mustWaitFor(device, other);
        }

        private void addHostWait(int device) {
            add(hasEvents[device] ? Kind.WAIT_EVENT : Kind.SYNCHRONIZE, device, NO_INPUT);
        }

        private void addCopy(int split, int input) {
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
                // The producer waits for the copy, so waiting for its event includes the copy.
                add(Kind.RECORD_EVENT, from, NO_INPUT);
            }
        }

        private void add(Kind kind, int device, int input) {
            kinds.add(kind);
            devices.add(device);
            inputs.add(input);
        }
    }

    public int splitCount() {
        return ends.length;
    }

    /** The number of the first action of a split. */
    int first(int split) {
        return split == 0 ? 0 : ends[split - 1];
    }

    /** One past the number of the last action of a split. */
    int end(int split) {
        return ends[split];
    }

    /** The id of the first node of a split. */
    int firstNode(int split) {
        return firstNodes[split];
    }

    Kind kind(int action) {
        return kinds[action];
    }

    int device(int action) {
        return devices[action];
    }

    int input(int action) {
        return inputs[action];
    }

    /** Whether a device uses events, one per slot. */
    boolean hasEvents(int device) {
        return hasEvents[device];
    }

    public List<Action> actions() {
        return IntStream.range(0, splitCount())
                .boxed()
                .flatMap(split -> actions(split).stream())
                .toList();
    }

    public List<Action> actions(int split) {
        return IntStream.range(first(split), end(split))
                .mapToObj(action -> new Action(kind(action), split, device(action), input(action)))
                .toList();
    }

    @Override
    public String toString() {
        return "ScheduleProgram[" + splitCount() + " splits, " + kinds.length + " actions]";
    }
}
