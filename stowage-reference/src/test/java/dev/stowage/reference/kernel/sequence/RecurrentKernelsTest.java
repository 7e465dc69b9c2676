package dev.stowage.reference.kernel.sequence;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestGrid;
import dev.stowage.reference.kernel.TestNumbers;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RecurrentKernelsTest {

    private static final int SIZE = 3;
    private static final int HEADS = 2;
    private static final int SEQUENCES = 2;
    private static final int PER_SEQUENCE = 3;
    private static final int TOKENS = SEQUENCES * PER_SEQUENCE;

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();
    private final Random random = new Random(1);

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    private TestGrid ofTokens() {
        return TestGrid.random(random, SIZE, HEADS, TOKENS, 1);
    }

    private TestGrid states() {
        return TestGrid.random(random, SIZE, SIZE, HEADS, SEQUENCES);
    }

    private Tensor asRows(TestGrid states) {
        return computation.f32(states.values(), SIZE * SIZE * HEADS, SEQUENCES);
    }

    /** What a token of a head does to its state, and what it puts out. */
    private interface Token {
        double[] apply(double[][] state, int head, int token);
    }

    /** Runs the tokens of each sequence over the states of its heads: all outputs, then all states. */
    private static double[] run(TestGrid states, Token tokens) {
        double[] result = new double[SIZE * HEADS * (TOKENS + SIZE * SEQUENCES)];
        for (int sequence = 0; sequence < SEQUENCES; sequence++) {
            for (int head = 0; head < HEADS; head++) {
                double[][] state = new double[SIZE][SIZE];
                for (int i = 0; i < SIZE; i++) {
                    for (int j = 0; j < SIZE; j++) {
                        state[i][j] = states.get(j, i, head, sequence);
                    }
                }
                for (int token = sequence * PER_SEQUENCE; token < (sequence + 1) * PER_SEQUENCE; token++) {
                    double[] output = tokens.apply(state, head, token);
                    System.arraycopy(output, 0, result, (token * HEADS + head) * SIZE, SIZE);
                }
                for (int i = 0; i < SIZE; i++) {
                    int at = SIZE * HEADS * TOKENS + ((sequence * HEADS + head) * SIZE + i) * SIZE;
                    System.arraycopy(state[i], 0, result, at, SIZE);
                }
            }
        }
        return result;
    }

    @Test
    void aShortConvolutionRunsAlongTheTokensOfEachSequence() {
        TestGrid data = TestGrid.random(random, 6, 3, 2, 1);
        TestGrid kernel = TestGrid.random(random, 4, 3, 1, 1);
        double[] actual = computation.compute(ops.ssmConv(data.in(computation), kernel.in(computation)));
        TestGrid expected = TestGrid.of(3, 3, 2, 1, (inner, token, sequence, _) -> {
            double sum = 0;
            for (int k = 0; k < 4; k++) {
                sum += kernel.get(k, inner, 0, 0) * data.get(token + k, inner, sequence, 0);
            }
            return sum;
        });
        assertClose(actual, expected.values(), FLOAT, "seed 1");
    }

    @Test
    void rwkv6SeesTheNewestTokenWithAWeightOfItsOwn() {
        TestGrid k = ofTokens();
        TestGrid v = ofTokens();
        TestGrid r = ofTokens();
        TestGrid first = TestGrid.random(random, SIZE, HEADS, 1, 1);
        TestGrid decay = ofTokens();
        TestGrid states = states();
        Tensor result = ops.rwkvWkv6(
                k.in(computation),
                v.in(computation),
                r.in(computation),
                first.in(computation),
                decay.in(computation),
                asRows(states));
        double[] expected = run(
                states,
                (state, head, token) -> TestNumbers.of(SIZE, j -> {
                    double y = 0;
                    for (int i = 0; i < SIZE; i++) {
                        double kv = k.get(i, head, token, 0) * v.get(j, head, token, 0);
                        y += r.get(i, head, token, 0) * (state[i][j] + first.get(i, head, 0, 0) * kv);
                        state[i][j] = decay.get(i, head, token, 0) * state[i][j] + kv;
                    }
                    return y;
                }));
        assertClose(computation.compute(result), expected, FLOAT, "seed 1");
    }

    @Test
    void rwkv7CorrectsEachRowOfTheStateByWhatItHolds() {
        TestGrid r = ofTokens();
        TestGrid w = ofTokens();
        TestGrid k = ofTokens();
        TestGrid v = ofTokens();
        TestGrid a = ofTokens();
        TestGrid b = ofTokens();
        TestGrid states = states();
        Tensor result = ops.rwkvWkv7(
                r.in(computation),
                w.in(computation),
                k.in(computation),
                v.in(computation),
                a.in(computation),
                b.in(computation),
                asRows(states));
        double[] expected = run(
                states,
                (state, head, token) -> TestNumbers.of(SIZE, i -> {
                    double held = 0;
                    for (int j = 0; j < SIZE; j++) {
                        held += a.get(j, head, token, 0) * state[i][j];
                    }
                    double y = 0;
                    for (int j = 0; j < SIZE; j++) {
                        state[i][j] = state[i][j] * w.get(j, head, token, 0)
                                + v.get(i, head, token, 0) * k.get(j, head, token, 0)
                                + held * b.get(j, head, token, 0);
                        y += r.get(j, head, token, 0) * state[i][j];
                    }
                    return y;
                }));
        assertClose(computation.compute(result), expected, FLOAT, "seed 1");
    }

    @Test
    void gatedLinearAttentionReadsTheStateAfterTheToken() {
        TestGrid k = ofTokens();
        TestGrid v = ofTokens();
        TestGrid q = ofTokens();
        TestGrid gate = ofTokens();
        TestGrid states = states();
        Tensor result = ops.gatedLinearAttn(
                k.in(computation), v.in(computation), q.in(computation), gate.in(computation), asRows(states), 0.5f);
        double[] expected = run(
                states,
                (state, head, token) -> TestNumbers.of(SIZE, j -> {
                    double y = 0;
                    for (int i = 0; i < SIZE; i++) {
                        state[i][j] = gate.get(i, head, token, 0) * state[i][j]
                                + k.get(i, head, token, 0) * v.get(j, head, token, 0);
                        y += 0.5 * q.get(i, head, token, 0) * state[i][j];
                    }
                    return y;
                }));
        assertClose(computation.compute(result), expected, FLOAT, "seed 1");
    }

    @Test
    void withoutTokensTheStatesStayAsTheyAre() {
        TestGrid states = states();
        Tensor none = ops.tensor(ElementType.F32, SIZE, HEADS, 0);
        Tensor result = ops.gatedLinearAttn(none, none, none, none, asRows(states), 1f);
        assertThat(computation.compute(result)).as("seed 1").containsExactly(states.values());
    }

    @Test
    void saysWhyTokensCannotBeSharedOut() {
        Tensor tokens = ops.tensor(ElementType.F32, SIZE, HEADS, 5);
        Tensor state = ops.tensor(ElementType.F32, SIZE * SIZE * HEADS, 2);
        Tensor node = ops.gatedLinearAttn(tokens, tokens, tokens, tokens, state, 1f);
        assertThat(new ReferenceProvider().devices().getFirst().supports(node).reason())
                .contains("5 tokens")
                .contains("2 sequences");
    }

    @Test
    void saysWhatIsMissingForTheFirstToken() {
        Tensor tokens = ops.tensor(ElementType.F32, SIZE, HEADS, 4);
        Tensor state = ops.tensor(ElementType.F32, SIZE * SIZE * HEADS, 2);
        Tensor few = ops.tensor(ElementType.F32, SIZE);
        Tensor node = ops.rwkvWkv6(tokens, tokens, tokens, few, tokens, state);
        assertThat(new ReferenceProvider().devices().getFirst().supports(node).reason())
                .contains("must be 6")
                .contains("not 3");
    }
}
