package dev.stowage.schedule;

import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.wiring.GraphPart;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The order in which the nodes of each split run: that of the graph, or one that the device prefers. It is part of the
 * schedule, so that measuring, reserving and binding use the same order.
 */
final class PreferredOrder {

    /** The order of the graph itself. */
    static final int[] NONE = {};

    private PreferredOrder() {}

    /** The node at a position of an order. */
    static int node(int[] order, int position) {
        return order.length == 0 ? position : order[position];
    }

    /** The nodes of a draft in the order its devices prefer. */
    static int[] of(Draft draft) {
        DeviceSet devices = draft.request().devices();
        boolean any = IntStream.range(0, devices.count())
                .anyMatch(device -> devices.device(device).capabilities().contains(Capability.REORDER));
        return any ? reordered(draft, devices) : NONE;
    }

    private static int[] reordered(Draft draft, DeviceSet devices) {
        int[] order = IntStream.range(0, draft.request().graph().nodeCount()).toArray();
        List<GraphPart> parts = new PlannedGraph(draft).runGraphs(0);
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
