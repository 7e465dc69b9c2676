package dev.stowage.schedule.search;

import dev.stowage.device.Capability;
import dev.stowage.graph.Graph;
import dev.stowage.schedule.DeviceSet;
import dev.stowage.schedule.cost.CostModel;
import dev.stowage.schedule.cost.LinkRate;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;

/**
 * The costs of one graph on one device set, computed once: the time of every node on every device, and of every copy.
 */
public final class CostSheet {

    private static final int CHOICE_SLOT = 2;

    private final Graph graph;
    private final int count;
    private final long[] nodeNanos;
    private final long[] bytes;
    private final LinkRate[] links;
    private final boolean[] async;
    private final boolean[] copiesAsync;

    public CostSheet(Graph graph, DeviceSet devices, CostModel model) {
        this.graph = graph;
        this.count = devices.count();
        this.nodeNanos = new long[graph.nodeCount() * count];
        this.bytes = new long[graph.size()];
        this.links = new LinkRate[count * count];
        this.async = new boolean[count];
        this.copiesAsync = new boolean[count * count];
        Arrays.setAll(bytes, id -> graph.tensor(id).byteSize());
        for (int device = 0; device < count; device++) {
            for (int id = 0; id < graph.nodeCount(); id++) {
                nodeNanos[id * count + device] = model.nanos(devices.name(device), graph.tensor(id));
            }
            async[device] = devices.device(device).capabilities().contains(Capability.ASYNC);
            for (int from = 0; from < count; from++) {
                if (from != device) {
                    links[from * count + device] = model.link(devices.name(from), devices.name(device));
                    copiesAsync[from * count + device] = devices.device(device).copiesAsyncFrom(devices.device(from));
                }
            }
        }
    }

    public int deviceCount() {
        return count;
    }

    public long nodeNanos(int node, int device) {
        return nodeNanos[node * count + device];
    }

    public long copyNanos(int id, int from, int to) {
        return copyNanos((double) bytes[id], from, to);
    }

    public long copyNanos(double size, int from, int to) {
        return from == to ? 0 : links[from * count + to].nanos(size);
    }

    public long bytes(int id) {
        return bytes[id];
    }

    public boolean isAsync(int device) {
        return async[device];
    }

    public boolean copiesAsync(int from, int to) {
        return copiesAsync[from * count + to];
    }

    /** The expected bytes of the experts in use, if all are equally likely. */
    public double expectedExpertBytes(int id, int node) {
        Tensor choice = graph.tensor(choiceOf(node));
        double experts = graph.tensor(id).dim(2);
        double missed = Math.pow(Math.max(0, 1 - choice.dim(0) / experts), (double) choice.dim(1));
        return bytes[id] * (1 - missed);
    }

    /** The tensor that selects the experts of a node. */
    public int choiceOf(int node) {
        return graph.sourceAt(graph.firstSlot(node) + CHOICE_SLOT);
    }
}
