package dev.stowage.bench.ops;

import dev.stowage.device.Device;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.BufferUsage;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Weights in the memory that a device prefers for them, if every op that reads them can. */
final class PreferredWeightBuffer {

    private PreferredWeightBuffer() {}

    /** The memory for that weight: the device's own for weights, if it has some and takes this one, else its usual. */
    static BufferType weightsType(Device device, Tensor weight) {
        return device.weightsType(weight.layout());
    }

    /** Whether the device has memory of its own for one of the weights of a graph. */
    static boolean isThere(Device device, Graph graph) {
        return graph.leaves().stream().anyMatch(leaf -> isPreferred(device, leaf));
    }

    private static boolean isPreferred(Device device, Tensor leaf) {
        return leaf.isWeight() && !weightsType(device, leaf).equals(device.bufferType());
    }

    /** Places the weights that have such memory and are only read by ops that know it; returns what was taken. */
    static List<Buffer> place(Device device, Graph graph) {
        Map<BufferType, List<Tensor>> weights = new LinkedHashMap<>();
        for (Tensor leaf : graph.leaves()) {
            if (isPreferred(device, leaf) && readersKnow(device, graph, leaf)) {
                weights.computeIfAbsent(weightsType(device, leaf), _ -> new ArrayList<>())
                        .add(leaf);
            }
        }
        List<Buffer> buffers = new ArrayList<>();
        weights.forEach((type, tensors) ->
                buffers.add(Allocations.allocateAll(tensors, type).setUsage(BufferUsage.WEIGHTS)));
        return buffers;
    }

    /** Whether the device computes every op that reads a weight when the weight is stored there, as it is for the question. */
    private static boolean readersKnow(Device device, Graph graph, Tensor weight) {
        try (Buffer _ = Allocations.allocateAll(List.of(weight), weightsType(device, weight))) {
            return supportsReaders(device, graph, graph.idOf(weight));
        }
    }

    private static boolean supportsReaders(Device device, Graph graph, int id) {
        for (int node = 0; node < graph.nodeCount(); node++) {
            for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                if (graph.sourceAt(slot) == id
                        && !device.supports(graph.tensor(node)).isSupported()) {
                    return false;
                }
            }
        }
        return true;
    }
}
