package dev.stowage.cpu.weights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cpu.CpuProvider;
import dev.stowage.cpu.machine.tile.TileSupport;
import dev.stowage.cpu.machine.tile.TileType;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import jdk.incubator.vector.VectorShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Weights whose rows are interleaved give the products of the same weights kept as they are. */
class InterleavedWeightsTest {

    private static final Device CPU = new CpuProvider().devices().getFirst();
    private static final Device REFERENCE = new ReferenceProvider().devices().getFirst();

    private static final int[] COLUMNS = {1, 2, 3, 5, 6, 7, 12, 13, 64};
    private static final int[] ROWS = {32, 64, 96, 160, 288};

    /** Both forms on a machine with machine code, one on others. */
    static Stream<Arguments> forms() {
        return Stream.concat(
                Stream.of(ElementType.Q4_0, ElementType.Q8_0, ElementType.Q4_K, ElementType.Q6_K)
                        .filter(_ -> VectorShape.preferredShape().vectorBitSize() == 512)
                        .map(type -> Arguments.of(InterleavedType.planes(), type)),
                Stream.of(TileType.values())
                        .filter(TileSupport::has)
                        .map(type -> Arguments.of(InterleavedType.tiles(), ElementType.valueOf(type.name()))));
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("forms")
    void productsAreThoseOfTheReference(InterleavedType form, ElementType type) {
        Random random = new Random(type.code());
        for (int columns : COLUMNS) {
            for (int rows : ROWS) {
                int elements = 256 * (1 + random.nextInt(3)) + (type.blockSize() == 32 ? 32 * random.nextInt(8) : 0);
                byte[] weights = weights(type, elements, rows, random);
                float[] numbers = numbers(elements * columns, random);
                float[] expected = product(REFERENCE, HostBufferType.standard(), type, weights, rows, numbers, columns);
                float[] actual = product(CPU, form, type, weights, rows, numbers, columns);
                assertThat(nmse(actual, expected))
                        .as("%s, %d elements, %d rows, %d columns", type, elements, rows, columns)
                        .isLessThan(isExact(form, type) ? 1e-10 : 5e-4);
            }
        }
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("forms")
    void readingGivesTheBytesThatWereWrittenPartByPart(InterleavedType form, ElementType type) {
        Layout layout = Layout.contiguous(type, 512, 64);
        Random random = new Random(5);
        byte[] weights = new byte[(int) layout.byteSize()];
        random.nextBytes(weights);
        Tensor tensor = Tensor.leaf(layout);
        try (Buffer buffer = form.allocate(layout.byteSize())) {
            buffer.place(tensor, 0);
            for (int at = 0; at < weights.length; ) {
                int length = Math.min(weights.length - at, 1 + random.nextInt(3000));
                buffer.set(tensor, at, MemorySegment.ofArray(weights).asSlice(at, length));
                at += length;
            }
            byte[] whole = new byte[weights.length];
            buffer.get(tensor, 0, MemorySegment.ofArray(whole));
            assertThat(whole).isEqualTo(weights);
            buffer.memset(tensor, 300, 501, (byte) 77);
            Arrays.fill(weights, 300, 801, (byte) 77);
            byte[] part = new byte[1234];
            buffer.get(tensor, 777, MemorySegment.ofArray(part));
            assertThat(MemorySegment.ofArray(part)
                            .mismatch(MemorySegment.ofArray(weights).asSlice(777, 1234)))
                    .isEqualTo(-1);
        }
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("forms")
    void onlyProductsTakeInterleavedWeights(InterleavedType form, ElementType type) {
        Layout layout = Layout.contiguous(type, 256, 32);
        GraphBuilder graph = new GraphBuilder();
        Tensor weights = graph.tensor(type, 256, 32);
        Tensor product = graph.mulMat(weights, graph.tensor(ElementType.F32, 256, 1));
        Tensor rows = graph.getRows(weights, graph.tensor(ElementType.I32, 1));
        try (Buffer buffer = form.allocate(layout.byteSize())) {
            buffer.place(weights, 0);
            assertThat(CPU.supports(product).isSupported()).isTrue();
            assertThat(CPU.supports(rows).isSupported()).isFalse();
            assertThat(CPU.supports(rows).reason()).contains("interleaved");
        }
    }

    @Test
    void weightsThatDoNotSuitAreKeptAsTheyAre() {
        assertThat(CPU.weightsType(Layout.contiguous(ElementType.F16, 64, 64))).isEqualTo(CPU.bufferType());
        assertThat(CPU.weightsType(Layout.contiguous(ElementType.Q4_0, 64, 33))).isEqualTo(CPU.bufferType());
    }

    @Test
    void placingWeightsThatDoNotSuitIsRefused() {
        Tensor tensor = Tensor.leaf(Layout.contiguous(ElementType.F16, 64, 64)).named("wq");
        try (Buffer buffer = InterleavedType.planes().allocate(1 << 14)) {
            assertThatThrownBy(() -> buffer.place(tensor, 0))
                    .isInstanceOf(InvalidTensorException.class)
                    .hasMessageContaining("wq");
            assertThat(tensor.isPlaced()).isFalse();
        }
    }

    /** Whether columns are rounded as the reference rounds them, in floats. */
    private static boolean isExact(InterleavedType form, ElementType type) {
        return form == InterleavedType.planes() && type == ElementType.Q8_0;
    }

    private static byte[] weights(ElementType type, int elements, int rows, Random random) {
        byte[] bytes = new byte[(int) type.rowBytes(elements) * rows];
        BlockFormat.of(type)
                .quantize(numbers(elements * rows, random), 0, elements * rows, MemorySegment.ofArray(bytes), 0);
        return bytes;
    }

    private static float[] numbers(int count, Random random) {
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        return numbers;
    }

    private static float[] product(
            Device device, BufferType home, ElementType type, byte[] weights, int rows, float[] numbers, int columns) {
        GraphBuilder graph = new GraphBuilder();
        int elements = numbers.length / columns;
        Tensor w = graph.tensor(type, elements, rows);
        Tensor x = graph.tensor(ElementType.F32, elements, columns);
        Tensor y = graph.mulMat(w, x);
        try (Arena arena = Arena.ofConfined();
                Buffer weightsBuffer = home.allocate(w.byteSize());
                Buffer xBuffer = device.bufferType().allocate(x.byteSize());
                Buffer yBuffer = device.bufferType().allocate(y.byteSize());
                Backend backend = device.open(BackendOptions.defaults().withThreads(2))) {
            weightsBuffer.place(w, 0);
            xBuffer.place(x, 0);
            yBuffer.place(y, 0);
            weightsBuffer.set(w, 0, arena.allocateFrom(ValueLayout.JAVA_BYTE, weights));
            TensorData.setFloats(x, numbers);
            backend.compute(Graph.of(y));
            return TensorData.getFloats(y);
        }
    }

    private static double nmse(float[] actual, float[] expected) {
        double error = 0;
        double power = 0;
        for (int i = 0; i < actual.length; i++) {
            error += Math.pow((double) actual[i] - expected[i], 2);
            power += Math.pow(expected[i], 2);
        }
        return error / power;
    }
}
