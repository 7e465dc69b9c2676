package dev.stowage.reference.kernel.attention;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestGrid;
import dev.stowage.reference.kernel.TestNumbers;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PositionKernelsTest {

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F16", "BF16", "F32"})
    void relativePositionsPickTheRowOfTheirDistance(ElementType type) {
        TestGrid a = TestGrid.of(2, 5, 1, 1, (i0, i1, _, _) -> 10 * i1 + i0);
        double[] actual = computation.compute(ops.getRelPos(a.in(computation, type), 3, 3));
        double[] distances = {2, 1, 0, 3, 2, 1, 4, 3, 2};
        assertThat(actual).containsExactly(TestNumbers.of(18, n -> 10 * distances[n / 2] + n % 2));
    }

    /** Scores of two by two keys for three by two queries. */
    private static TestGrid withPositions(TestGrid scores, TestGrid horizontal, TestGrid vertical) {
        return TestGrid.of(
                4,
                6,
                2,
                1,
                (score, place, head, _) -> scores.get(score, place, head, 0)
                        + horizontal.get(score % 2, place % 3, place / 3, head)
                        + vertical.get(score / 2, place % 3, place / 3, head));
    }

    @Test
    void scoresGetWhatTheirColumnAndTheirRowAdd() {
        Random random = new Random(1);
        TestGrid scores = TestGrid.random(random, 4, 6, 2, 1);
        TestGrid horizontal = TestGrid.random(random, 2, 3, 2, 2);
        TestGrid vertical = TestGrid.random(random, 2, 3, 2, 2);
        Tensor result = ops.addRelPos(scores.in(computation), horizontal.in(computation), vertical.in(computation));
        double[] expected = withPositions(scores, horizontal, vertical).values();
        assertClose(computation.compute(result), expected, FLOAT, "seed 1");
    }

    @Test
    void positionsAreAddedInPlaceToo() {
        Random random = new Random(2);
        TestGrid scores = TestGrid.random(random, 4, 6, 2, 1);
        TestGrid horizontal = TestGrid.random(random, 2, 3, 2, 2);
        TestGrid vertical = TestGrid.random(random, 2, 3, 2, 2);
        Tensor operand = scores.in(computation);
        Tensor result = ops.addRelPosInplace(operand, horizontal.in(computation), vertical.in(computation));
        double[] expected = withPositions(scores, horizontal, vertical).values();
        assertClose(computation.compute(result), expected, FLOAT, "seed 2");
        assertClose(computation.read(operand), expected, FLOAT, "seed 2");
    }
}
