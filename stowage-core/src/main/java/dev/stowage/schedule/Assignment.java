package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.pass.AssignmentTable;
import dev.stowage.tensor.Tensor;
import java.util.Optional;

/** A device for every tensor of a graph, by id, with the reason. Immutable. */
public final class Assignment {

    private final Graph graph;
    private final DeviceSet devices;
    private final int[] device;
    private final byte[] rule;
    private final int[] because;

    private Assignment(Graph graph, DeviceSet devices, int[] device, byte[] rule, int[] because) {
        this.graph = graph;
        this.devices = devices;
        this.device = device;
        this.rule = rule;
        this.because = because;
    }

    /** The result of the passes; the table must not change any more. */
    static Assignment of(AssignmentTable table) {
        return new Assignment(
                table.graph(), table.devices(), table.deviceTable(), table.ruleTable(), table.reasonTable());
    }

    /** The same for a structurally identical graph. */
    Assignment forGraph(Graph identical) {
        return new Assignment(identical, devices, device, rule, because);
    }

    public Graph graph() {
        return graph;
    }

    public DeviceSet devices() {
        return devices;
    }

    /** The number of the device a tensor is on. */
    public int device(int id) {
        return device[id];
    }

    /** Why a tensor is on its device. */
    public Reason reason(int id) {
        Optional<Tensor> tensor =
                because[id] == Graph.NO_ID ? Optional.empty() : Optional.of(graph.tensor(because[id]));
        return new Reason(Rule.of(rule[id]), tensor);
    }
}
