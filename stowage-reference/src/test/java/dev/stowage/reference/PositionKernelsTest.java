package dev.stowage.reference;

import static dev.stowage.reference.Numbers.FLOAT;
import static dev.stowage.reference.Numbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
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
        Grid a = Grid.of(2, 5, 1, 1, (i0, i1, _, _) -> 10 * i1 + i0);
        double[] actual = computation.compute(ops.getRelPos(a.in(computation, type), 3, 3));
        double[] distances = {2, 1, 0, 3, 2, 1, 4, 3, 2};
        assertThat(actual).containsExactly(Numbers.of(18, n -> 10 * distances[n / 2] + n % 2));
    }

    /** Scores of two by two keys for three by two queries. */
    private static Grid withPositions(Grid scores, Grid horizontal, Grid vertical) {
        return Grid.of(
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
        Grid scores = Grid.random(random, 4, 6, 2, 1);
        Grid horizontal = Grid.random(random, 2, 3, 2, 2);
        Grid vertical = Grid.random(random, 2, 3, 2, 2);
        Tensor result = ops.addRelPos(scores.in(computation), horizontal.in(computation), vertical.in(computation));
        double[] expected = withPositions(scores, horizontal, vertical).values();
        assertClose(computation.compute(result), expected, FLOAT, "seed 1");
    }

    @Test
    void positionsAreAddedInPlaceToo() {
        Random random = new Random(2);
        Grid scores = Grid.random(random, 4, 6, 2, 1);
        Grid horizontal = Grid.random(random, 2, 3, 2, 2);
        Grid vertical = Grid.random(random, 2, 3, 2, 2);
        Tensor operand = scores.in(computation);
        Tensor result = ops.addRelPosInplace(operand, horizontal.in(computation), vertical.in(computation));
        double[] expected = withPositions(scores, horizontal, vertical).values();
        assertClose(computation.compute(result), expected, FLOAT, "seed 2");
        assertClose(computation.read(operand), expected, FLOAT, "seed 2");
    }
}
