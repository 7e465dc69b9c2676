package dev.stowage.reference.kernel.sequence;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.DeviceException;
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

class SsmScanKernelTest {

    private static final int STATE = 3;
    private static final int INNER = 2;
    private static final int HEADS = 4;
    private static final int GROUPS = 2;
    private static final int TOKENS = 3;
    private static final int SEQUENCES = 2;

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "3, 1", "1, 2", "1, 3"})
    void scansEachSequenceFromTheStateItsIdNames(int decays, int snapshots) {
        Random random = new Random(1);
        TestGrid states = TestGrid.random(random, STATE, INNER, HEADS, 3);
        TestGrid x = TestGrid.random(random, INNER, HEADS, TOKENS, SEQUENCES);
        TestGrid dt = TestGrid.random(random, HEADS, TOKENS, SEQUENCES, 1);
        dt.set(1, 0, 0, 0, 25);
        TestGrid a = TestGrid.of(decays, HEADS, 1, 1, (_, _, _, _) -> -random.nextInt(16) / 16.0);
        TestGrid b = TestGrid.random(random, STATE, GROUPS, TOKENS, SEQUENCES);
        TestGrid c = TestGrid.random(random, STATE, GROUPS, TOKENS, SEQUENCES);
        int[] ids = {2, 0};
        double[] actual = computation.compute(ops.ssmScan(
                states.in(computation),
                x.in(computation),
                dt.in(computation),
                a.in(computation),
                b.in(computation),
                c.in(computation),
                computation.i32(ids),
                snapshots));
        TestGrid y = TestGrid.of(INNER, HEADS, TOKENS, SEQUENCES, (_, _, _, _) -> 0);
        TestGrid[] kept = new TestGrid[TOKENS];
        TestGrid now = TestGrid.of(STATE, INNER, HEADS, SEQUENCES, (n, i, head, s) -> states.get(n, i, head, ids[s]));
        for (int token = 0; token < TOKENS; token++) {
            int t = token;
            TestGrid before = now;
            now = TestGrid.of(STATE, INNER, HEADS, SEQUENCES, (n, i, head, s) -> {
                double step = Math.log(1 + Math.exp(dt.get(head, t, s, 0)));
                double decay = Math.exp(step * a.get(n % decays, head, 0, 0));
                return decay * before.get(n, i, head, s) + step * b.get(n, head / 2, t, s) * x.get(i, head, t, s);
            });
            for (int n = 0; n < STATE * INNER * HEADS * SEQUENCES; n++) {
                int j = n % STATE;
                int i = n / STATE % INNER;
                int head = n / STATE / INNER % HEADS;
                int s = n / STATE / INNER / HEADS;
                double more = now.get(j, i, head, s) * c.get(j, head / 2, t, s);
                y.set(i, head, t, s, y.get(i, head, t, s) + more);
            }
            kept[TOKENS - 1 - token] = now;
        }
        double[] expected = new double[y.values().length + snapshots * kept[0].values().length];
        System.arraycopy(y.values(), 0, expected, 0, y.values().length);
        for (int ago = 0; ago < snapshots; ago++) {
            double[] state = kept[ago].values();
            System.arraycopy(state, 0, expected, y.values().length + ago * state.length, state.length);
        }
        assertClose(actual, expected, FLOAT, "seed 1");
    }

    private Tensor scan(Tensor ids, int groups) {
        return ops.ssmScan(
                ops.tensor(ElementType.F32, 1, 1, 3, 2),
                ops.tensor(ElementType.F32, 1, 3, 1, 1),
                ops.tensor(ElementType.F32, 3, 1, 1),
                ops.tensor(ElementType.F32, 1, 3),
                ops.tensor(ElementType.F32, 1, groups, 1, 1),
                ops.tensor(ElementType.F32, 1, groups, 1, 1),
                ids);
    }

    @Test
    void refusesAnIdThatNamesNoState() {
        Tensor node = scan(computation.i32(2), 1);
        assertThatThrownBy(() -> computation.compute(node))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("state 2")
                .hasMessageContaining("0 to 1");
    }

    @Test
    void saysWhyHeadsCannotShareGroups() {
        Tensor node = scan(ops.tensor(ElementType.I32, 1), 2);
        assertThat(new ReferenceProvider().devices().getFirst().supports(node).reason())
                .contains("3 heads")
                .contains("2 groups");
    }

    @Test
    void olderStatesThanThereAreTokensAreLeftAlone() {
        Tensor node = ops.ssmScan(
                computation.f32(new double[] {5}, 1),
                computation.f32(new double[] {0}, 1),
                computation.f32(new double[] {0}, 1),
                computation.f32(new double[] {0}, 1),
                computation.f32(new double[] {1}, 1),
                computation.f32(new double[] {1}, 1),
                computation.i32(0),
                3);
        Tensor written = computation.f32(9, 9, 9, 9);
        assertThat(computation.computeOver(written, node)).containsExactly(5, 5, 9, 9);
    }
}
