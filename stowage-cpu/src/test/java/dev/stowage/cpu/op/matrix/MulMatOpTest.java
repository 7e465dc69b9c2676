package dev.stowage.cpu.op.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cpu.CpuProvider;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.TensorData;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Products of matrices where the conformance cases do not go: special values, odd sizes, any number of threads. */
class MulMatOpTest {

    private static final Device CPU = new CpuProvider().devices().getFirst();
    private static final Device REFERENCE = new ReferenceProvider().devices().getFirst();

    private static final float[] SPECIAL = {
        Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.MIN_VALUE, 0x1p-24f, -0f, 65504f
    };

    @ParameterizedTest
    @CsvSource({
        "F32, 1",
        "F32, 3",
        "F32, 4",
        "F32, 17",
        "F32, 70",
        "F16, 1",
        "F16, 3",
        "F16, 17",
        "F16, 70",
        "BF16, 1",
        "BF16, 33"
    })
    void specialValuesGoWhereTheyGoInTheReference(ElementType type, int columns) {
        Random random = new Random(columns);
        for (int round = 0; round < 4; round++) {
            int elements = random.nextBoolean() ? 32 * (1 + random.nextInt(12)) : 1 + random.nextInt(300);
            int rows = 1 + random.nextInt(40);
            float[] weights = numbers(elements * rows, random);
            float[] numbers = numbers(elements * columns, random);
            weights[random.nextInt(weights.length)] = SPECIAL[random.nextInt(SPECIAL.length)];
            numbers[random.nextInt(numbers.length)] = SPECIAL[random.nextInt(SPECIAL.length)];
            float[] expected = product(REFERENCE, 1, type, weights, rows, numbers, columns);
            float[] actual = product(CPU, 2, type, weights, rows, numbers, columns);
            for (int i = 0; i < expected.length; i++) {
                assertThat(isClose(actual[i], expected[i], elements))
                        .as(
                                "%s[%d, %d] x %d, result %d: %s for %s",
                                type, elements, rows, columns, i, actual[i], expected[i])
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"F32, 1", "F32, 64", "F16, 1", "F16, 100", "BF16, 2", "BF16, 9"})
    void resultsAreTheSameBitsForAnyNumberOfThreads(ElementType type, int columns) {
        Random random = new Random(3);
        float[] weights = numbers(520 * 200, random);
        float[] numbers = numbers(520 * columns, random);
        float[] one = product(CPU, 1, type, weights, 200, numbers, columns);
        for (int threads = 2; threads <= 5; threads++) {
            assertThat(product(CPU, threads, type, weights, 200, numbers, columns))
                    .as("%d threads", threads)
                    .isEqualTo(one);
        }
    }

    /** As a router in f32 and matrices in f16 do in a mixture of experts. */
    @ParameterizedTest
    @CsvSource({
        "F32, F16, 1",
        "F16, F32, 3",
        "F32, F16, 8",
        "F16, F32, 70",
        "F32, BF16, 20",
        "BF16, F32, 5",
        "BF16, F16, 40",
        "F32, Q8_0, 9",
        "Q4_K, Q8_0, 9",
        "Q8_0, Q5_1, 30",
        "Q6_K, F16, 4"
    })
    void columnsThatWeightsOfTwoTypesReadAreRoundedAsEachOfThemAsks(
            ElementType first, ElementType second, int columns) {
        Random random = new Random(columns);
        int elements = 512;
        float[] numbers = numbers(elements * columns, random);
        float[] weights = numbers(elements * 24, random);
        float[][] together = products(CPU, List.of(first, second), weights, numbers, columns);
        float[][] expected = products(REFERENCE, List.of(first, second), weights, numbers, columns);
        for (int i = 0; i < together.length; i++) {
            assertThat(error(expected[i], together[i])).as("product %d", i).isLessThan(1e-11);
        }
    }

    private static double error(float[] expected, float[] actual) {
        double differences = 0;
        double squares = 0;
        for (int i = 0; i < expected.length; i++) {
            differences += Math.pow((double) expected[i] - actual[i], 2);
            squares += Math.pow(expected[i], 2);
        }
        return differences / squares;
    }

    /** The products of weights of several types and the same columns, in one graph. */
    private static float[][] products(
            Device device, List<ElementType> types, float[] weights, float[] numbers, int columns) {
        GraphBuilder graph = new GraphBuilder();
        int elements = numbers.length / columns;
        Tensor x = graph.tensor(ElementType.F32, elements, columns);
        List<Tensor> w = types.stream()
                .map(type -> graph.tensor(type, elements, weights.length / elements))
                .toList();
        List<Tensor> y = w.stream().map(each -> graph.mulMat(each, x)).toList();
        List<Tensor> all = Stream.of(List.of(x), w, y).flatMap(List::stream).toList();
        try (Buffer _ = Allocations.allocateAll(all, device.bufferType());
                Backend backend = device.open(BackendOptions.defaults().withThreads(2))) {
            TensorData.setFloats(x, numbers);
            for (Tensor each : w) {
                BlockFormat.of(each.type()).quantize(weights, 0, weights.length, TensorData.segment(each), 0);
            }
            backend.compute(Graph.of(y.toArray(Tensor[]::new)));
            return y.stream().map(TensorData::getFloats).toArray(float[][]::new);
        }
    }

    @ParameterizedTest
    @CsvSource({"F32, 1", "F32, 70", "F16, 3", "Q4_0, 1", "Q8_0, 70"})
    void aProductOfRowsOfNoElementsIsZero(ElementType type, int columns) {
        for (Device device : List.of(REFERENCE, CPU)) {
            assertThat(zeroLengthProduct(device, type, columns))
                    .as("%s", device.name())
                    .isEqualTo(new float[32 * columns]);
        }
    }

    @ParameterizedTest
    @CsvSource({"F32", "Q4_0"})
    void aProductOfExpertsWithRowsOfNoElementsIsZero(ElementType type) {
        for (Device device : List.of(REFERENCE, CPU)) {
            GraphBuilder graph = new GraphBuilder();
            Tensor experts = graph.tensor(type, 0, 32, 4);
            Tensor x = graph.tensor(ElementType.F32, 0, 1, 5);
            Tensor ids = graph.tensor(ElementType.I32, 2, 5);
            Tensor y = graph.mulMatId(experts, x, ids);
            try (Buffer _ = Allocations.allocateAll(List.of(experts, x, ids, y), device.bufferType());
                    Backend backend = device.open(BackendOptions.defaults().withThreads(1))) {
                TensorData.setInts(ids, new int[] {0, 1, 2, 3, 0, 1, 2, 3, 0, 1});
                assertThat(computed(backend, y)).as("%s", device.name()).isEqualTo(new float[32 * 2 * 5]);
            }
        }
    }

    private static float[] zeroLengthProduct(Device device, ElementType type, int columns) {
        GraphBuilder graph = new GraphBuilder();
        Tensor w = graph.tensor(type, 0, 32);
        Tensor x = graph.tensor(ElementType.F32, 0, columns);
        Tensor y = graph.mulMat(w, x);
        try (Buffer _ = Allocations.allocateAll(List.of(w, x, y), device.bufferType());
                Backend backend = device.open(BackendOptions.defaults().withThreads(1))) {
            return computed(backend, y);
        }
    }

    /** What a node is after it had other numbers before. */
    private static float[] computed(Backend backend, Tensor node) {
        float[] other = new float[Math.toIntExact(node.shape().elements())];
        Arrays.fill(other, 7);
        TensorData.setFloats(node, other);
        backend.compute(Graph.of(node));
        return TensorData.getFloats(node);
    }

    private static boolean isClose(float actual, float expected, int elements) {
        if (Float.isNaN(expected) || Float.isInfinite(expected)) {
            return Float.compare(actual, expected) == 0;
        }
        // Sums of products of about one, and at times of one large number.
        return Math.abs(actual - expected) <= 1e-5 * (Math.abs(expected) + Math.sqrt(elements));
    }

    private static float[] numbers(int count, Random random) {
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        return numbers;
    }

    private static float[] product(
            Device device, int threads, ElementType type, float[] weights, int rows, float[] numbers, int columns) {
        GraphBuilder graph = new GraphBuilder();
        int elements = numbers.length / columns;
        Tensor w = graph.tensor(type, elements, rows);
        Tensor x = graph.tensor(ElementType.F32, elements, columns);
        Tensor y = graph.mulMat(w, x);
        try (Buffer buffer = Allocations.allocateAll(List.of(w, x, y), device.bufferType());
                Backend backend = device.open(BackendOptions.defaults().withThreads(threads))) {
            assertThat(buffer.isClosed()).isFalse();
            TensorData.setFloats(w, weights);
            TensorData.setFloats(x, numbers);
            backend.compute(Graph.of(y));
            return TensorData.getFloats(y);
        }
    }
}
