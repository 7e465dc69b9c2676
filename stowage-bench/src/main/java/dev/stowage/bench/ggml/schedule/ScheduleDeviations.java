package dev.stowage.bench.ggml.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.schedule.Rule;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.Split;
import dev.stowage.schedule.SplitInput;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.function.Predicate;

/**
 * Where Stowage means to schedule otherwise than ggml: where ggml ends the process, has a device read or write memory it
 * does not reach, or has it read bytes that are out of date.
 */
final class ScheduleDeviations {

    /** So many inputs make ggml start another split. */
    private static final int MOST_INPUTS = 30;

    private static final int MOST_CHUNKS = 15;

    private final LiveScheduleCase asked;
    private final Graph graph;
    private final Schedule schedule;
    private final List<NoOpRules> devices;

    ScheduleDeviations(LiveScheduleCase asked, Schedule schedule) {
        this.asked = asked;
        this.graph = asked.graph();
        this.schedule = schedule;
        this.devices = asked.devices();
    }

    /** Why ggml must not be asked: it would end the process; empty if it can be. */
    String limits() {
        if (has(rule -> rule == Rule.WITH_VIEW)) {
            return "a plain leaf is reached only through a view";
        }
        if (asked.isPipelined() && hasPlacedInputs()) {
            return "an input of a pipeline has memory of its own";
        }
        if (asked.isPipelined() && hasViewsAsInputs()) {
            return "a view is marked as an input of a pipeline";
        }
        for (int buffer = 0; buffer < schedule.plan().bufferCount(); buffer++) {
            if (schedule.plan().chunkCount(buffer) > MOST_CHUNKS) {
                return "a plan has more chunks than ggml has room for";
            }
        }
        return "";
    }

    /** Why the two may differ; empty if they must not. */
    String reason() {
        if (has(rule -> rule.pass() == Rule.Pass.REPAIR)) {
            return "a result is written where ggml's choice of device does not reach";
        }
        if (schedule.splits().stream().anyMatch(split -> split.inputs().size() >= MOST_INPUTS)) {
            return "a split has more inputs than ggml has room for";
        }
        if (asked.isPipelined() && hasComputedInputs()) {
            return "a computed tensor is marked as an input of a pipeline";
        }
        if (schedule.splits().stream().anyMatch(this::bringsWhatIsWrittenThroughViews)) {
            return "what is copied to a device is written through a view";
        }
        if (schedule.splits().stream().anyMatch(this::bringsViewsOfWhatItsDeviceComputes)) {
            return "ggml copies a view before it has computed what it is a view of";
        }
        for (int id = 0; id < graph.nodeCount(); id++) {
            if (!graph.isViewOp(id) && readsOutOfReach(id)) {
                return "ggml has a device read memory that it does not reach";
            }
            if (graph.canWorkInPlace(id) && worksInForeignMemory(id)) {
                return "a result takes the place of an operand in memory that a reader does not reach";
            }
        }
        return "";
    }

    private boolean has(Predicate<Rule> chosen) {
        for (int id = 0; id < graph.size(); id++) {
            if (chosen.test(schedule.assignment().reason(id).rule())) {
                return true;
            }
        }
        return false;
    }

    private boolean hasPlacedInputs() {
        for (int id = 0; id < graph.size(); id++) {
            if (graph.isInput(id) && asked.places().containsKey(graph.tensor(id))) {
                return true;
            }
        }
        return false;
    }

    private boolean hasComputedInputs() {
        for (int id = 0; id < graph.nodeCount(); id++) {
            if (graph.isInput(id)) {
                return true;
            }
        }
        return false;
    }

    private boolean hasViewsAsInputs() {
        for (int id = 0; id < graph.size(); id++) {
            if (graph.isInput(id) && graph.viewSource(id) != Graph.NO_ID) {
                return true;
            }
        }
        return false;
    }

    /** Whether a split has a view copied from another device although its own device has computed it in place. */
    private boolean bringsViewsOfWhatItsDeviceComputes(Split split) {
        for (SplitInput input : split.inputs()) {
            int id = graph.idOf(input.source());
            if (root(id) != id
                    && graph.isNode(root(id))
                    && schedule.assignment().device(root(id)) == split.device()) {
                return true;
            }
        }
        return false;
    }

    private boolean bringsWhatIsWrittenThroughViews(Split split) {
        return split.inputs().stream().map(SplitInput::source).anyMatch(this::isWrittenThroughView);
    }

    private boolean isWrittenThroughView(Tensor tensor) {
        int written = root(graph.idOf(tensor));
        for (int id = 0; id < graph.nodeCount(); id++) {
            if (graph.viewSource(id) == written && !graph.isViewOp(id)) {
                return true;
            }
        }
        return false;
    }

    private boolean readsOutOfReach(int id) {
        int device = schedule.assignment().device(id);
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID) {
                boolean ggmlReads = schedule.assignment().device(source) == device
                        || devices.get(device).readable().contains(memory(source));
                if (ggmlReads && !devices.get(device).readable().contains(memory(root(source)))) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean worksInForeignMemory(int id) {
        NoOpRules device = devices.get(schedule.assignment().device(id));
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID && isForeign(device, memory(root(source)))) {
                return true;
            }
        }
        return false;
    }

    private boolean isForeign(NoOpRules device, String memory) {
        String own = device.memory().name();
        return !memory.equals(own)
                && device.readable().contains(memory)
                && devices.stream()
                        .anyMatch(other -> other.readable().contains(own)
                                && !other.readable().contains(memory));
    }

    /** The memory ggml assumes for a tensor: where it is placed, else that of the results of its device. */
    private String memory(int id) {
        Tensor owner = graph.tensor(root(id));
        if (owner.isPlaced()) {
            return Buffer.of(owner).type().name();
        }
        return devices.get(schedule.assignment().device(id)).memory().name();
    }

    private int root(int id) {
        return graph.viewSource(id) == Graph.NO_ID ? id : graph.viewSource(id);
    }
}
