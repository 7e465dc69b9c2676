package dev.stowage.device;

import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.BoundGraph;

/**
 * Checks that a device reaches all memory that the nodes of a graph read and write, before any of it runs. View ops
 * touch no memory, so their memory need not be reachable.
 */
final class MemoryReach {

    private MemoryReach() {}

    /**
     * Checks the memory of a graph.
     *
     * @throws DeviceException if a node touches memory that the device does not reach
     */
    static void require(Device device, BoundGraph bound) {
        boolean all = true;
        for (int index = 0; index < bound.bufferCount() && all; index++) {
            all = reaches(device, bound.distinctBuffer(index));
        }
        Graph graph = bound.graph();
        for (int node = 0; !all && node < graph.nodeCount(); node++) {
            if (graph.isComputed(node) && !graph.isViewOp(node)) {
                require(device, bound, node, node);
                for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                    if (graph.sourceAt(slot) != Graph.NO_ID) {
                        require(device, bound, graph.sourceAt(slot), node);
                    }
                }
            }
        }
    }

    private static void require(Device device, BoundGraph bound, int id, int node) {
        Buffer buffer = bound.buffer(id);
        if (!reaches(device, buffer)) {
            Graph graph = bound.graph();
            throw DeviceException.of(
                    device.name(),
                    "compute",
                    graph.tensor(node).describe(),
                    "it does not reach the buffer " + buffer + ", where "
                            + (id == node
                                    ? "the result"
                                    : "its operand " + graph.tensor(id).describe())
                            + " is stored: bind the graph to memory of this device, or run it with a scheduler");
        }
    }

    private static boolean reaches(Device device, Buffer buffer) {
        return device.supportsBufferType(buffer.type());
    }
}
