package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;
import static dev.stowage.tensor.ElementType.I64;
import static dev.stowage.tensor.ElementType.Q8_0;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;

class ReductionOpsTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.tensor(F16, 8, 6, 4, 2).named("x");

    @Test
    void sumsUpEverything() {
        assertResult(b.sum(x)).computes(Op.SUM).reads(x).isFresh(F16, 1);
    }

    @Test
    void sumsUpRows() {
        assertResult(b.sumRows(x)).computes(Op.SUM_ROWS).reads(x).isFresh(F16, 1, 6, 4, 2);
    }

    @Test
    void refusesSumsThatAreNotAWholeBlock() {
        Tensor blocks = b.tensor(Q8_0, 64, 2);

        assertRefused(b, () -> b.sum(blocks), Op.SUM, "multiple of 32", blocks);
        assertRefused(b, () -> b.sumRows(blocks), Op.SUM_ROWS, "multiple of 32", blocks);
    }

    @Test
    void sumsUpAlongRows() {
        Tensor floats = b.tensor(F32, 8, 6);

        assertResult(b.cumsum(floats)).computes(Op.CUMSUM).reads(floats).isFresh(F32, 8, 6);
    }

    @Test
    void refusesToSumUpAlongRowsOfOtherTypes() {
        assertRefused(b, () -> b.cumsum(x), Op.CUMSUM, "must be f32", x);
    }

    @Test
    void takesTheMeanAsFloat() {
        assertResult(b.mean(x)).computes(Op.MEAN).reads(x).isFresh(F32, 1, 6, 4, 2);
    }

    @Test
    void findsTheLargestOfEachRow() {
        Tensor matrix = b.tensor(F32, 8, 6);

        assertResult(b.argmax(matrix)).computes(Op.ARGMAX).reads(matrix).isFresh(I32, 6);
    }

    @Test
    void refusesTheLargestOfMoreThanAMatrix() {
        assertRefused(b, () -> b.argmax(x), Op.ARGMAX, "two dimensions", x);
    }

    @Test
    void countsEqualElements() {
        Tensor y = b.tensor(F16, 8, 6, 4, 2);

        assertResult(b.countEqual(x, y)).computes(Op.COUNT_EQUAL).reads(x, y).isFresh(I64, 1);
    }

    @Test
    void refusesToCompareOtherShapes() {
        Tensor y = b.tensor(F16, 8, 6, 4);

        assertRefused(b, () -> b.countEqual(x, y), Op.COUNT_EQUAL, "the same shape", x, y);
    }
}
