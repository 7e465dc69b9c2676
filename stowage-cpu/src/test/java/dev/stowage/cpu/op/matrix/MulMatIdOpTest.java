package dev.stowage.cpu.op.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.stowage.cpu.CpuProvider;
import dev.stowage.cpu.machine.tile.TileSupport;
import dev.stowage.cpu.machine.tile.TileType;
import dev.stowage.cpu.weights.InterleavedType;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.error.AccessException;
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
import java.util.Random;
import java.util.stream.Stream;
import jdk.incubator.vector.VectorShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Products with the experts that ids name are those of the reference, wherever the weights are kept. */
class MulMatIdOpTest {

    private static final Device CPU = new CpuProvider().devices().getFirst();
    private static final Device REFERENCE = new ReferenceProvider().devices().getFirst();

    private static final int EXPERTS = 5;

    /** Rounding the columns to eight bits costs that much. */
    private static final double ROUNDED = 5e-4;

    /** A product to compute: the shapes, the weights as bytes, the columns and the ids. */
    @SuppressWarnings("ArrayRecordComponent") // data of one test, never compared
    private record Problem(
            ElementType type,
            int elements,
            int rows,
            int used,
            int own,
            int tokens,
            byte[] weights,
            float[] columns,
            int[] ids) {

        static Problem random(ElementType type, int elements, int rows, int used, int own, int tokens, Random random) {
            byte[] weights = new byte[(int) type.rowBytes(elements) * rows * EXPERTS];
            BlockFormat.of(type)
                    .quantize(
                            numbers(elements * rows * EXPERTS, random),
                            0,
                            elements * rows * EXPERTS,
                            MemorySegment.ofArray(weights),
                            0);
            int[] ids = new int[used * tokens];
            for (int i = 0; i < ids.length; i++) {
                // The lower one of two is more often a small number: some experts are called much more than others.
                ids[i] = Math.min(random.nextInt(EXPERTS), random.nextInt(EXPERTS));
            }
            return new Problem(
                    type, elements, rows, used, own, tokens, weights, numbers(elements * own * tokens, random), ids);
        }

        float[] solve(Device device, BufferType home, int threads) {
            GraphBuilder graph = new GraphBuilder();
            Tensor w = graph.tensor(type, elements, rows, EXPERTS);
            Tensor x = graph.tensor(ElementType.F32, elements, own, tokens);
            Tensor chosen = graph.tensor(ElementType.I32, used, tokens);
            Tensor y = graph.mulMatId(w, x, chosen);
            try (Arena arena = Arena.ofConfined();
                    Buffer weightsBuffer = home.allocate(w.byteSize());
                    Buffer xBuffer = device.bufferType().allocate(x.byteSize());
                    Buffer idBuffer = device.bufferType().allocate(chosen.byteSize());
                    Buffer yBuffer = device.bufferType().allocate(y.byteSize());
                    Backend backend = device.open(BackendOptions.defaults().withThreads(threads))) {
                weightsBuffer.place(w, 0);
                xBuffer.place(x, 0);
                idBuffer.place(chosen, 0);
                yBuffer.place(y, 0);
                weightsBuffer.set(w, 0, arena.allocateFrom(ValueLayout.JAVA_BYTE, weights));
                TensorData.setFloats(x, columns);
                idBuffer.set(chosen, 0, arena.allocateFrom(ValueLayout.JAVA_INT, ids));
                backend.compute(Graph.of(y));
                return TensorData.getFloats(y);
            }
        }

        float[] expected() {
            return solve(REFERENCE, HostBufferType.standard(), 1);
        }
    }

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
    void interleavedExpertsGiveTheProductsOfTheReference(InterleavedType form, ElementType type) {
        for (int tokens : new int[] {1, 5, 13, 40}) {
            Problem problem = random(type, tokens, 32);
            float[] actual = problem.solve(CPU, form, 2);
            assertThat(nmse(actual, problem.expected()))
                    .as("%s, seed %d, %d elements, %d rows", type, tokens, problem.elements(), problem.rows())
                    .isLessThan(form == InterleavedType.planes() && type == ElementType.Q8_0 ? 1e-10 : ROUNDED);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F16", "Q8_0", "Q4_K", "Q5_1"})
    void expertsInOrdinaryMemoryGiveTheProductsOfTheReference(ElementType type) {
        for (int tokens : new int[] {1, 2, 13, 60}) {
            Problem problem = random(type, tokens, 1);
            float[] actual = problem.solve(CPU, CPU.bufferType(), 2);
            assertThat(nmse(actual, problem.expected()))
                    .as("%s, seed %d, %d elements, %d rows", type, tokens, problem.elements(), problem.rows())
                    .isLessThan(1e-10);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "Q4_0", "Q4_K", "Q6_K", "Q8_0"})
    void anyNumberOfThreadsGivesTheSameBits(ElementType type) {
        for (int tokens : new int[] {1, 7, 61}) {
            Problem problem = random(type, tokens, 32);
            BufferType home = CPU.weightsType(layout(type));
            float[] alone = problem.solve(CPU, home, 1);
            assertThat(problem.solve(CPU, home, 3))
                    .as("%s, seed %d", type, tokens)
                    .isEqualTo(alone);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "Q4_0", "Q8_0"})
    void anExpertMayBeCalledByMoreTokensThanAreMultipliedAtATime(ElementType type) {
        Problem problem = Problem.random(type, 32, 32, 2, 1, 1000, new Random(1000));
        float[] actual = problem.solve(CPU, CPU.weightsType(layout(type)), 2);
        assertThat(nmse(actual, problem.expected())).isLessThan(type == ElementType.Q4_0 ? ROUNDED : 1e-10);
    }

    @Test
    void anIdWithoutMatrixIsRefusedAsTheReferenceDoes() {
        for (int wrong : new int[] {-1, EXPERTS}) {
            Problem problem = random(ElementType.F32, 6, 1);
            problem.ids()[problem.ids().length - 1] = wrong;
            Throwable expected = catchThrowable(problem::expected);
            Throwable actual = catchThrowable(() -> problem.solve(CPU, CPU.bufferType(), 2));
            assertThat(expected).hasRootCauseInstanceOf(AccessException.class);
            String reason = rootMessage(expected);
            assertThat(actual)
                    .hasSameClassAs(expected)
                    .rootCause()
                    .isInstanceOf(AccessException.class)
                    .hasMessage(reason);
        }
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("forms")
    void theMatricesMayBeInterleaved(InterleavedType form, ElementType type) {
        GraphBuilder graph = new GraphBuilder();
        Tensor weights = graph.tensor(type, 256, 32, EXPERTS);
        Tensor product =
                graph.mulMatId(weights, graph.tensor(ElementType.F32, 256, 1, 1), graph.tensor(ElementType.I32, 2, 1));
        try (Buffer buffer = form.allocate(weights.byteSize())) {
            buffer.place(weights, 0);
            assertThat(CPU.supports(product).isSupported()).isTrue();
        }
    }

    /** A problem with that many tokens, which are the seed as well. */
    private static Problem random(ElementType type, int tokens, int rowStep) {
        Random random = new Random(tokens);
        int blocks = type.blockSize() == 256 ? 1 + random.nextInt(2) : 1 + random.nextInt(10);
        int elements = type.blockSize() == 1 ? 1 + random.nextInt(300) : blocks * type.blockSize();
        int rows = rowStep * (1 + random.nextInt(rowStep == 1 ? 110 : 6));
        int used = 2 + random.nextInt(2);
        return Problem.random(type, elements, rows, used, random.nextBoolean() ? 1 : used, tokens, random);
    }

    private static Layout layout(ElementType type) {
        return Layout.contiguous(type, 256, 32, EXPERTS);
    }

    private static float[] numbers(int count, Random random) {
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        return numbers;
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

    private static String rootMessage(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return cause == null ? String.valueOf(thrown.getMessage()) : rootMessage(cause);
    }
}
