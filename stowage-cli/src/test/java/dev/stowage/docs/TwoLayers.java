package dev.stowage.docs;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.PreparedGraph;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;

/** Two layers of a neural network, computed on the best device of this machine. */
public final class TwoLayers {

    private TwoLayers() {}

    public static void main(String[] args) {
        try (DeviceRegistry registry = DeviceRegistry.load()) {
            Device device = registry.best().orElseThrow();
            try (Backend backend = device.open()) {
                run(backend);
            }
        }
    }

    private static void run(Backend backend) {
        // The weights: 3 numbers in, 2 hidden ones, 1 out. The first dimension is the length of a row.
        GraphBuilder weights = new GraphBuilder();
        Tensor up = weights.weight("up", ElementType.F32, 3, 2);
        Tensor down = weights.weight("down", ElementType.F32, 2, 1);

        // The graph, for two rows of input at a time.
        GraphBuilder ops = new GraphBuilder();
        Tensor x = ops.input("x", ElementType.F32, 3, 2);
        Tensor hidden = ops.relu(ops.mulMat(up, x));
        Tensor y = ops.mulMat(down, hidden).named("y").asOutput();
        Graph graph = ops.build(y);

        try (Buffer weightMemory =
                        Allocations.allocateAll(weights, backend.device().bufferType());
                GraphAllocator allocator = GraphAllocator.on(backend.device().bufferType())) {
            TensorData.setFloats(up, 1, 0, -1, 0, 2, 0);
            TensorData.setFloats(down, 1, 10);
            System.out.println(weightMemory.size() + " bytes of weights");

            BoundGraph bound = allocator.bind(graph); // plans and allocates; every tensor has a buffer and an offset
            try (PreparedGraph prepared = backend.prepare(bound)) { // selects the kernels
                for (int run = 1; run <= 2; run++) {
                    TensorData.setFloats(bound.tensor(x), run, 0, 0, 0, run, 0);
                    backend.compute(prepared);
                    System.out.println(Arrays.toString(TensorData.getFloats(bound.tensor(y))));
                }
            }
        }
    }
}
