package dev.stowage.reference.kernel.sequence;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestGrid;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GatedDeltaNetKernelTest {

    private static final int SIZE = 4;
    private static final int HEADS = 4;
    private static final int TOKENS = 3;
    private static final int SEQUENCES = 2;

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    /** Gates for each head or for each element of it; all heads of q and k or fewer; so many states kept. */
    @ParameterizedTest
    @CsvSource({"1, 4, 2, 1", "4, 2, 1, 1", "1, 2, 2, 3", "4, 4, 1, 2"})
    void correctsTheAnswerToEachKey(int gates, int heads, int sequences, int snapshots) {
        Random random = new Random(1);
        TestGrid q = TestGrid.random(random, SIZE, heads, TOKENS, sequences);
        TestGrid k = TestGrid.random(random, SIZE, heads, TOKENS, sequences);
        TestGrid v = TestGrid.random(random, SIZE, HEADS, TOKENS, SEQUENCES);
        TestGrid gate = TestGrid.of(gates, HEADS, TOKENS, SEQUENCES, (_, _, _, _) -> -random.nextInt(16) / 16.0);
        TestGrid beta = TestGrid.of(1, HEADS, TOKENS, SEQUENCES, (_, _, _, _) -> random.nextInt(16) / 16.0);
        TestGrid state = TestGrid.random(random, SIZE, SIZE, HEADS, SEQUENCES);
        double[] actual = computation.compute(ops.gatedDeltaNet(
                q.permuted(computation, ElementType.F32),
                k.permuted(computation, ElementType.F32),
                v.permuted(computation, ElementType.F32),
                gate.in(computation),
                beta.in(computation),
                state.in(computation),
                snapshots));
        TestGrid y = TestGrid.of(SIZE, HEADS, TOKENS, SEQUENCES, (_, _, _, _) -> 0);
        TestGrid[] kept = new TestGrid[TOKENS];
        TestGrid now = state;
        int perSequence = SEQUENCES / sequences;
        for (int token = 0; token < TOKENS; token++) {
            int t = token;
            TestGrid before = now;
            TestGrid decayed = TestGrid.of(
                    SIZE,
                    SIZE,
                    HEADS,
                    SEQUENCES,
                    (i, j, head, s) -> before.get(i, j, head, s) * Math.exp(gate.get(i % gates, head, t, s)));
            now = TestGrid.of(SIZE, SIZE, HEADS, SEQUENCES, (i, j, head, s) -> {
                double answer = 0;
                for (int n = 0; n < SIZE; n++) {
                    answer += decayed.get(n, j, head, s) * k.get(n, head % heads, t, s / perSequence);
                }
                double missing = beta.get(0, head, t, s) * (v.get(j, head, t, s) - answer);
                return decayed.get(i, j, head, s) + missing * k.get(i, head % heads, t, s / perSequence);
            });
            for (int n = 0; n < SIZE * SIZE * HEADS * SEQUENCES; n++) {
                int i = n % SIZE;
                int j = n / SIZE % SIZE;
                int head = n / SIZE / SIZE % HEADS;
                int s = n / SIZE / SIZE / HEADS;
                double more = now.get(i, j, head, s) * q.get(i, head % heads, t, s / perSequence) / Math.sqrt(SIZE);
                y.set(j, head, t, s, y.get(j, head, t, s) + more);
            }
            kept[TOKENS - 1 - token] = now;
        }
        double[] expected = new double[y.values().length + snapshots * state.values().length];
        System.arraycopy(y.values(), 0, expected, 0, y.values().length);
        for (int ago = 0; ago < snapshots; ago++) {
            double[] values = kept[ago].values();
            System.arraycopy(values, 0, expected, y.values().length + ago * values.length, values.length);
        }
        assertClose(actual, expected, 1e-5, "seed 1");
    }

    @Test
    void aStateThatIsGivenAValueOnceAnswersWithIt() {
        Tensor key = computation.f32(new double[] {0, 1}, 2, 1, 1, 1);
        Tensor node = ops.gatedDeltaNet(
                key,
                key,
                computation.f32(new double[] {3, 5}, 2, 1, 1, 1),
                computation.f32(new double[] {0}, 1),
                computation.f32(new double[] {1}, 1),
                computation.f32(new double[] {1, 2, 3, 4}, 2, 2, 1, 1),
                1);
        double root = Math.sqrt(2);
        assertClose(computation.compute(node), new double[] {3 / root, 5 / root, 1, 3, 3, 5}, FLOAT);
    }

    private Tensor net(Tensor q, Tensor gate) {
        return ops.gatedDeltaNet(
                q,
                ops.tensor(ElementType.F32, 2, 1, 3, 1),
                ops.tensor(ElementType.F32, 2, 1, 3, 1),
                gate,
                ops.tensor(ElementType.F32, 1, 1, 3, 1),
                ops.tensor(ElementType.F32, 2, 2, 1, 1),
                1);
    }

    private static String reasonAgainst(Tensor node) {
        return new ReferenceProvider().devices().getFirst().supports(node).reason();
    }

    @Test
    void saysWhichOperandDoesNotFit() {
        Tensor q = ops.tensor(ElementType.F32, 2, 1, 3, 1);
        Tensor gate = ops.tensor(ElementType.F32, 1, 1, 3, 1);
        assertThat(reasonAgainst(net(q, gate))).isEmpty();
        assertThat(reasonAgainst(net(ops.tensor(ElementType.F32, 2, 1, 4, 1), gate)))
                .contains("q and k")
                .contains("[2, 1, 4]");
        assertThat(reasonAgainst(net(q, ops.tensor(ElementType.F32, 1, 2, 3, 1))))
                .contains("gate and beta")
                .contains("[1, 2, 3]");
    }
}
