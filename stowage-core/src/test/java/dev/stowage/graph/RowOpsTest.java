package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;
import static dev.stowage.tensor.ElementType.I64;
import static dev.stowage.tensor.ElementType.Q8_0;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.SortOrder;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RowOpsTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor table = b.weight("table", Q8_0, 64, 100, 3, 2);

    @Test
    void picksRowsAsFloats() {
        Tensor rows = b.tensor(I32, 7, 3, 2);

        assertResult(b.getRows(table, rows))
                .computes(Op.GET_ROWS)
                .reads(table, rows)
                .isFresh(F32, 64, 7, 3, 2);
    }

    @Test
    void picksRowsOfWholeNumbersAsTheyAre() {
        Tensor numbers = b.tensor(I32, 4, 100);
        Tensor rows = b.tensor(I32, 7);

        assertResult(b.getRows(numbers, rows)).reads(numbers, rows).isFresh(I32, 4, 7);
    }

    @Test
    void refusesRowNumbersOfAnotherShapeOrType() {
        Tensor flat = b.tensor(I32, 7);
        Tensor wide = b.tensor(I64, 7, 3, 2);

        assertRefused(
                b, () -> b.getRows(table, flat), Op.GET_ROWS, "dimensions 1 and 2 of the row numbers", table, flat);
        assertRefused(b, () -> b.getRows(table, wide), Op.GET_ROWS, "must be i32", table, wide);
    }

    @Test
    void placesRowsInTheirTarget() {
        Tensor source = b.tensor(F32, 64, 5, 3, 2);
        Tensor rows = b.tensor(I64, 5, 1, 2);

        assertResult(b.setRows(table, source, rows))
                .computes(Op.SET_ROWS)
                .reads(source, rows, table)
                .overwrites(table);
    }

    @Test
    void refusesRowsThatDoNotFitTheTarget() {
        Tensor shorter = b.tensor(F32, 32, 5, 3, 2);
        Tensor source = b.tensor(F32, 64, 5, 3, 2);
        Tensor rows = b.tensor(I64, 5);
        Tensor four = b.tensor(I64, 4);
        Tensor twice = b.tensor(I64, 5, 2);
        Tensor blocks = b.tensor(Q8_0, 64, 5, 3, 2);

        assertRefused(b, () -> b.setRows(table, shorter, rows), Op.SET_ROWS, "alike", shorter, rows, table);
        assertRefused(b, () -> b.setRows(table, source, four), Op.SET_ROWS, "one row number", source, four, table);
        assertRefused(b, () -> b.setRows(table, source, twice), Op.SET_ROWS, "must repeat", source, twice, table);
        assertRefused(b, () -> b.setRows(table, blocks, rows), Op.SET_ROWS, "f32 or f16", blocks, rows, table);
        assertRefused(b, () -> b.setRows(table, source, source), Op.SET_ROWS, "one row number", source, table);
    }

    @Test
    void refusesRowsWithGaps() {
        Tensor source = b.transpose(b.tensor(F16, 5, 64));
        Tensor target = b.tensor(F16, 64, 9);
        Tensor rows = b.tensor(I32, 5);

        assertRefused(b, () -> b.setRows(target, source, rows), Op.SET_ROWS, "without gaps", source, rows, target);
    }

    @ParameterizedTest
    @EnumSource
    void sortsRows(SortOrder order) {
        Tensor x = b.tensor(F32, 9, 4, 3);

        assertResult(b.argsort(x, order))
                .computes(Op.ARGSORT)
                .hasParameters(new OpParameters.Argsort(order))
                .reads(x)
                .isFresh(I32, 9, 4, 3);
    }

    @Test
    void refusesToSortRowsThatCannotBeCounted() {
        Tensor endless = b.tensor(F32, 1L << 31);

        assertRefused(b, () -> b.argsort(endless, SortOrder.ASC), Op.ARGSORT, "too long for i32", endless);
    }

    @Test
    void takesTheFirstOfTheSorted() {
        Tensor x = b.tensor(F32, 9, 4, 3);
        Tensor top = b.argsortTopK(x, 2);
        Tensor sorted = top.source(0);

        assertResult(sorted)
                .computes(Op.ARGSORT)
                .hasParameters(new OpParameters.Argsort(SortOrder.DESC))
                .reads(x)
                .isFresh(I32, 9, 4, 3);
        assertResult(top)
                .computes(Op.VIEW)
                .reads(sorted)
                .isViewOf(sorted, 0)
                .hasShape(2, 4, 3)
                .hasStrides(4, 36, 144, 432);
    }

    @Test
    void takesTheLargestInOneOp() {
        Tensor x = b.tensor(F32, 9, 4, 3);

        assertResult(b.topK(x, 2)).computes(Op.TOP_K).reads(x).isFresh(I32, 2, 4, 3);
    }

    @Test
    void refusesMoreThanThereAre() {
        Tensor x = b.tensor(F32, 9, 4);

        assertRefused(b, () -> b.topK(x, 10), Op.TOP_K, "a row of 9 has no 10 largest", x);
        assertRefused(b, () -> b.argsortTopK(x, 10), Op.ARGSORT, "a row of 9 has no 10 largest", x);
        assertRefused(b, () -> b.topK(x, -1), Op.TOP_K, "no -1 largest", x);
    }
}
