package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.pass.ExpertReads;
import dev.stowage.schedule.pass.Hazards;
import dev.stowage.schedule.pass.Splitting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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
    private final int[] firstNodes;
    private final Action[][] splits;

    private ScheduleProgram(boolean[] hasEvents, int[] firstNodes, Action[][] splits) {
        this.hasEvents = hasEvents;
        this.firstNodes = firstNodes;
        this.splits = splits;
    }

    /**
     * The program of a split graph.
     *
     * @param order the nodes in the order they run; empty for that of the graph
     */
    static ScheduleProgram of(ScheduleRequest request, Splitting splitting, Hazards hazards, int[] order) {
        int[] firstNodes = new int[splitting.count()];
        Action[][] splits = new Action[firstNodes.length][];
        Builder program = new Builder(request, splitting, hazards, firstNodes);
        for (int split = 0; split < splits.length; split++) {
            int first = splitting.firstNode(split);
            firstNodes[split] = first < splitting.endNode(split) ? PreferredOrder.node(order, first) : Graph.NO_ID;
            splits[split] = program.actions(split);
        }
        return new ScheduleProgram(program.hasEvents, firstNodes, splits);
    }

    /** Derives the actions of one split after the other. */
    private static final class Builder {

        private final Graph graph;
        private final Splitting splitting;
        private final Hazards hazards;
        private final int[] firstNodes;
        private final boolean[] hasEvents;
        /** Whether the host waits for other devices only if memory is shared; in ggml also before splits without inputs. */
        private final boolean waitsForSharing;

        private final List<Action> actions = new ArrayList<>();
        private int split;

        Builder(ScheduleRequest request, Splitting splitting, Hazards hazards, int[] firstNodes) {
            this.graph = request.graph();
            this.splitting = splitting;
            this.hazards = hazards;
            this.firstNodes = firstNodes;
            this.hasEvents = request.options().devicesWithEvents(request.devices());
            this.waitsForSharing = request.options().eventsAlways();
        }

        private Action[] actions(int number) {
            split = number;
            actions.clear();
            addWaits();
            for (int input = splitting.firstInput(split); input < splitting.endInput(split); input++) {
                addCopy(input);
            }
            int device = splitting.device(split);
            add(Kind.RUN, device, NO_INPUT);
            if (hasEvents[device]) {
                add(Kind.RECORD_EVENT, device, NO_INPUT);
            }
            return actions.toArray(Action[]::new);
        }

        /** Waits for devices that may still use the memory of the split or of its inputs. */
        private void addWaits() {
            int device = splitting.device(split);
            for (int other = 0; other < hasEvents.length; other++) {
                boolean mustWait = mustWaitFor(device, other);
                for (int input = splitting.firstInput(split); !mustWait && input < splitting.endInput(split); input++) {
                    mustWait = mustWaitFor(splitting.input(input).from(), other);
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

        private void addCopy(int input) {
            int source = splitting.input(input).source();
            int from = splitting.input(input).from();
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
            boolean experts = ExpertReads.areCopiedInParts(graph, firstNodes[split], source);
            add(experts ? Kind.COPY_EXPERTS : Kind.COPY, to, input);
            if (waitsForSharing && hasEvents[from] && hazards.isAsync(to)) {
                // The producer waits for the copy, so waiting for its event includes the copy.
                add(Kind.RECORD_EVENT, from, NO_INPUT);
            }
        }

        private void add(Kind kind, int device, int input) {
            actions.add(new Action(kind, split, device, input));
        }
    }

    public int splitCount() {
        return splits.length;
    }

    /** The actions of a split, not to be changed. */
    Action[] split(int number) {
        return splits[number];
    }

    /** The id of the first node of a split. */
    int firstNode(int split) {
        return firstNodes[split];
    }

    /** Whether a device uses events, one per slot. */
    boolean hasEvents(int device) {
        return hasEvents[device];
    }

    public List<Action> actions() {
        return Arrays.stream(splits).flatMap(Arrays::stream).toList();
    }

    public List<Action> actions(int split) {
        return List.of(splits[split]);
    }

    @Override
    public String toString() {
        return "ScheduleProgram[" + splitCount() + " splits, " + actions().size() + " actions]";
    }
}
