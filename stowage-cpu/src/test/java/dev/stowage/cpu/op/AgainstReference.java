package dev.stowage.cpu.op;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cpu.CpuProvider;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Step;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.reference.ReferenceOps;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Function;

/**
 * Computes an f32 tensor by kernels, with one thread and with three, and by the reference, from the same random inputs.
 */
public final class AgainstReference {

    private static final double MAX_ERROR = 1e-7;

    private AgainstReference() {}

    /** Fails unless the kernels give what the reference gives, and the same bits for any number of threads. */
    public static void check(long seed, Function<GraphBuilder, Tensor> formula) {
        GraphBuilder b = new GraphBuilder();
        Tensor result = formula.apply(b).asOutput();
        Graph graph = b.build(result);
        try (GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard())) {
            BoundGraph bound = allocator.bind(graph);
            float[] alone = computed(bound, result, seed, 1);
            float[] together = computed(bound, result, seed, 3);
            fill(bound, seed);
            for (int node = 0; node < graph.nodeCount(); node++) {
                if (!graph.isViewOp(node)) {
                    ReferenceOps.compute(Step.of(bound, node));
                }
            }
            assertThat(Arrays.equals(together, alone))
                    .as("seed %d, three threads give the bits that one gives", seed)
                    .isTrue();
            assertThat(error(TensorData.getFloats(bound.tensor(result)), alone))
                    .as("seed %d, against the reference", seed)
                    .isLessThan(MAX_ERROR);
        }
    }

    private static float[] computed(BoundGraph bound, Tensor result, long seed, int threads) {
        fill(bound, seed);
        BackendOptions options = BackendOptions.defaults().withThreads(threads);
        try (Backend backend = new CpuProvider().devices().getFirst().open(options)) {
            backend.compute(bound);
            return TensorData.getFloats(bound.tensor(result));
        }
    }

    private static void fill(BoundGraph bound, long seed) {
        Random random = new Random(seed);
        for (Tensor tensor : bound.graph().leaves()) {
            BoundTensor leaf = bound.tensor(tensor);
            int elements = Math.toIntExact(leaf.shape().elements());
            if (leaf.type() == ElementType.I32) {
                TensorData.setInts(leaf, new int[elements]);
            } else {
                float[] values = new float[elements];
                for (int j = 0; j < elements; j++) {
                    values[j] = (float) random.nextGaussian() / 4;
                }
                TensorData.setFloats(leaf, values);
            }
        }
    }

    private static double error(float[] expected, float[] actual) {
        double differences = 0;
        double squares = 0;
        for (int i = 0; i < expected.length; i++) {
            double difference = (double) expected[i] - actual[i];
            differences += difference * difference;
            squares += (double) expected[i] * expected[i];
        }
        return squares == 0 ? differences : differences / squares;
    }
}
