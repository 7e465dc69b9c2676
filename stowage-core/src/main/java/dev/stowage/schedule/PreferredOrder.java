package dev.stowage.schedule;

import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.wiring.GraphPart;
import java.util.Arrays;
import java.util.List;

/**
 * The order in which the nodes of each split run: that of the graph, or one that the device prefers. It is part of the
 * schedule, so that measuring, reserving and binding use the same order.
 */
final class PreferredOrder {

    private PreferredOrder() {}

    /** The order of the graph itself. */
    static int[] none(Graph graph) {
        int[] order = new int[graph.nodeCount()];
        for (int id = 0; id < order.length; id++) {
            order[id] = id;
        }
        return order;
    }

    /** The nodes of a draft in the order its devices prefer. */
    static int[] of(Draft draft) {
        DeviceSet devices = draft.request().devices();
        boolean any = false;
        for (int device = 0; device < devices.count(); device++) {
            any |= devices.device(device).capabilities().contains(Capability.REORDER);
        }
        return any ? reordered(draft, devices) : draft.order();
    }

    private static int[] reordered(Draft draft, DeviceSet devices) {
        int[] order = draft.order().clone();
        List<GraphPart> parts = PlannedGraph.of(draft).runGraphs(0);
        for (int split = 0; split < parts.size(); split++) {
            Graph part = parts.get(split).graph();
            Device device = devices.device(draft.splitting().device(split));
            Graph preferred = device.reorder(part);
            if (preferred.nodeCount() != part.nodeCount()) {
                throw new InvalidGraphException("device '" + device.name() + "' reordered " + part.nodeCount()
                        + " nodes to " + preferred.nodeCount());
            }
            int first = draft.splitting().firstNode(split);
            int[] before = Arrays.copyOfRange(order, first, first + part.nodeCount());
            for (int node = 0; node < before.length; node++) {
                order[first + node] = before[part.idOf(preferred.node(node))];
            }
        }
        return order;
    }
}
