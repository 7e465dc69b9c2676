package dev.stowage.testkit.simulated;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.compare.GraphCopy;
import dev.stowage.graph.Graph;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Random;

/** What the tests of this package are made of. */
public final class Parts {

    private Parts() {}

    /** The device that says what is right. */
    static Device reference() {
        return new ReferenceProvider().devices().getFirst();
    }

    /** A leaf of so many floats. */
    public static Tensor floats(String name, long count) {
        return Tensor.leaf(Layout.contiguous(ElementType.F32, count)).named(name);
    }

    public static MemorySegment bytes(float... values) {
        return MemorySegment.ofArray(values);
    }

    static float[] random(Random random, int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat(-2, 2);
        }
        return values;
    }

    /** What the reference makes of a graph whose leaves have their values: the result of a node. */
    static float[] expected(Graph graph, Tensor node) {
        try (GraphCopy copy = GraphCopy.of(graph, HostBufferType.standard());
                Backend backend = reference().open()) {
            backend.compute(copy.graph());
            return TensorData.getFloats(copy.copyOf(node));
        }
    }
}
