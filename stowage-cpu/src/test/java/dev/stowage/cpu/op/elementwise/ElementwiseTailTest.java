package dev.stowage.cpu.op.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cpu.CpuProvider;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.UnaryFunction;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The last elements of a row, which do not fill a vector, are computed in memory that earlier nodes have used. What these
 * left there must not show, not even in a last bit.
 */
class ElementwiseTailTest {

    private static final long SEED = 11;

    /** Rows that leave each number of lanes of any vector unused. */
    private static final int LONGEST = 17;

    /** As many elements as are brought to that memory at a time. */
    private static final int WIDE = ElementLoop.SLICE;

    private static final float[] LEFT_BEFORE = {Float.NaN, 1e30f, Float.NEGATIVE_INFINITY};

    @TestFactory
    Iterable<DynamicTest> resultsDoNotDependOnEarlierNodes() {
        return functions().entrySet().stream()
                .map(function -> DynamicTest.dynamicTest(function.getKey(), () -> check(function.getValue())))
                .toList();
    }

    private static Map<String, BiFunction<GraphBuilder, Tensor, Tensor>> functions() {
        Map<String, BiFunction<GraphBuilder, Tensor, Tensor>> all = new LinkedHashMap<>();
        all.put("sin", GraphBuilder::sin);
        all.put("cos", GraphBuilder::cos);
        all.put("log", GraphBuilder::log);
        all.put("sqrt", GraphBuilder::sqrt);
        for (UnaryFunction function : UnaryFunction.values()) {
            if (function != UnaryFunction.XIELU) {
                all.put(function.toString(), (b, x) -> b.unary(x, function));
            }
        }
        all.put("div", (b, x) -> b.div(x, x));
        all.put("swiglu", (b, x) -> b.swiglu(x, x));
        return all;
    }

    private static void check(BiFunction<GraphBuilder, Tensor, Tensor> function) {
        for (int length = 1; length <= LONGEST; length++) {
            int[] expected = bits(function, length, 0f);
            for (float before : LEFT_BEFORE) {
                assertThat(bits(function, length, before))
                        .as("seed %d, %d elements after %s", SEED, length, before)
                        .isEqualTo(expected);
            }
        }
    }

    /** The bits of a function of short rows, of f32 and of f16, in a graph that has brought other numbers to its memory. */
    private static int[] bits(BiFunction<GraphBuilder, Tensor, Tensor> function, int length, float before) {
        GraphBuilder b = new GraphBuilder();
        // Numbers of 16 bits become floats in the memory that the tails come to later.
        Tensor wide = b.tensor(ElementType.BF16, WIDE);
        Tensor earlier = b.add(wide, wide);
        Tensor x = b.tensor(ElementType.F32, length);
        Tensor half = b.cast(x, ElementType.F16);
        Tensor result = b.concat(function.apply(b, x), b.cast(function.apply(b, half), ElementType.F32), 0);
        Graph graph = b.build(earlier, result);
        BackendOptions options = BackendOptions.defaults().withThreads(1);
        try (Backend backend = new CpuProvider().devices().getFirst().open(options);
                Buffer _ = Allocations.allocateAll(b, HostBufferType.standard())) {
            float[] numbers = new float[WIDE];
            Arrays.fill(numbers, before);
            TensorData.setFloats(wide, numbers);
            TensorData.setFloats(x, numbers(length));
            backend.compute(graph);
            float[] values = TensorData.getFloats(result);
            int[] bits = new int[values.length];
            Arrays.setAll(bits, i -> Float.floatToIntBits(values[i]));
            return bits;
        }
    }

    private static float[] numbers(int length) {
        Random random = new Random(SEED + length);
        float[] numbers = new float[length];
        for (int i = 0; i < length; i++) {
            numbers[i] = (float) random.nextGaussian() * 4;
        }
        return numbers;
    }
}
