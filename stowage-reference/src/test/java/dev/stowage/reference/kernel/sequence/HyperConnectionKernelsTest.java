package dev.stowage.reference.kernel.sequence;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestGrid;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HyperConnectionKernelsTest {

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    @Test
    void oneIterationIsTheSoftmaxOfRowsAndThenColumnsThatSumUpToOne() {
        Random random = new Random(1);
        TestGrid mixes = TestGrid.random(random, 24, 3, 1, 1);
        TestGrid base = TestGrid.random(random, 24, 1, 1, 1);
        double[] scales = {9, 9, 0.5};
        double epsilon = 1 / 64.0;
        Tensor result = ops.dsv4HcComb(
                mixes.in(computation), computation.f32(scales), base.in(computation), (float) epsilon, 1);
        TestGrid softmax = TestGrid.of(4, 4, 3, 1, (column, row, token, _) -> {
            double sum = 0;
            for (int other = 0; other < 4; other++) {
                int mix = 8 + 4 * row + other;
                sum += Math.exp(0.5 * mixes.get(mix, token, 0, 0) + base.get(mix, 0, 0, 0));
            }
            int mix = 8 + 4 * row + column;
            return Math.exp(0.5 * mixes.get(mix, token, 0, 0) + base.get(mix, 0, 0, 0)) / sum + epsilon;
        });
        TestGrid expected = TestGrid.of(4, 4, 3, 1, (column, row, token, _) -> {
            double sum = epsilon;
            for (int other = 0; other < 4; other++) {
                sum += softmax.get(column, other, token, 0);
            }
            return softmax.get(column, row, token, 0) / sum;
        });
        assertClose(computation.compute(result), expected.values(), FLOAT, "seed 1");
    }

    @Test
    void manyIterationsBalanceRowsAndColumns() {
        Random random = new Random(2);
        Tensor mixes = TestGrid.random(random, 24, 2, 1, 1).in(computation);
        Tensor base = TestGrid.random(random, 24, 1, 1, 1).in(computation);
        double[] comb = computation.compute(ops.dsv4HcComb(mixes, computation.f32(1, 1, 1), base, 0f, 50));
        for (int line = 0; line < 8; line++) {
            double row = 0;
            double column = 0;
            for (int i = 0; i < 4; i++) {
                row += comb[line * 4 + i];
                column += comb[line / 4 * 16 + i * 4 + line % 4];
            }
            assertThat(row).as("seed 2, row %d", line).isCloseTo(1, offset(1e-4));
            assertThat(column).as("seed 2, column %d", line).isCloseTo(1, offset(1e-4));
        }
    }

    @Test
    void theInputOfALayerIsTheWeightedSumOfTheStreams() {
        Random random = new Random(3);
        TestGrid x = TestGrid.random(random, 5, 3, 4, 1);
        TestGrid weights = TestGrid.random(random, 3, 4, 1, 1);
        Tensor result = ops.dsv4HcPre(x.permuted(computation, ElementType.F32), weights.in(computation));
        TestGrid expected = TestGrid.of(5, 4, 1, 1, (i, token, _, _) -> {
            double sum = 0;
            for (int stream = 0; stream < 3; stream++) {
                sum += weights.get(stream, token, 0, 0) * x.get(i, stream, token, 0);
            }
            return sum;
        });
        assertClose(computation.compute(result), expected.values(), FLOAT, "seed 3");
    }

    @Test
    void theStreamsAfterALayerAreItsOutputAndTheMixedResidual() {
        Random random = new Random(4);
        TestGrid x = TestGrid.random(random, 5, 2, 1, 1);
        TestGrid residual = TestGrid.random(random, 5, 3, 2, 1);
        TestGrid post = TestGrid.random(random, 3, 2, 1, 1);
        TestGrid comb = TestGrid.random(random, 3, 3, 2, 1);
        Tensor result =
                ops.dsv4HcPost(x.in(computation), residual.in(computation), post.in(computation), comb.in(computation));
        TestGrid expected = TestGrid.of(5, 3, 2, 1, (i, to, token, _) -> {
            double sum = x.get(i, token, 0, 0) * post.get(to, token, 0, 0);
            for (int from = 0; from < 3; from++) {
                sum += residual.get(i, from, token, 0) * comb.get(to, from, token, 0);
            }
            return sum;
        });
        assertClose(computation.compute(result), expected.values(), FLOAT, "seed 4");
    }
}
