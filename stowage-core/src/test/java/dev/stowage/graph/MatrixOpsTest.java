package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;
import static dev.stowage.tensor.ElementType.Q4_K;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.MulMatHint;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Precision;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.TriangleKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MatrixOpsTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor w = b.weight("w", Q4_K, 256, 40, 2);
    private final Tensor x = b.input("x", F32, 256, 7, 4, 3);

    @Test
    void multipliesEachMatrixWithItsShareOfTheOthers() {
        assertResult(b.mulMat(w, x))
                .computes(Op.MUL_MAT)
                .hasParameters(new OpParameters.MulMat(Precision.DEFAULT, MulMatHint.NONE))
                .reads(w, x)
                .isFresh(F32, 40, 7, 4, 3);
    }

    @Test
    void remembersPrecisionAndHint() {
        assertResult(b.mulMat(w, x, Precision.F32))
                .hasParameters(new OpParameters.MulMat(Precision.F32, MulMatHint.NONE))
                .isFresh(F32, 40, 7, 4, 3);
        assertResult(b.mulMat(w, x, Precision.DEFAULT, MulMatHint.FIRST_IS_HADAMARD))
                .hasParameters(new OpParameters.MulMat(Precision.DEFAULT, MulMatHint.FIRST_IS_HADAMARD));
    }

    @Test
    void refusesRowsOfOtherLengths() {
        Tensor shorter = b.tensor(F32, 128, 7);

        assertRefused(b, () -> b.mulMat(w, shorter), Op.MUL_MAT, "rows of both must have the same length", w, shorter);
    }

    @Test
    void refusesMatricesThatDoNotShareOut() {
        Tensor three = b.tensor(F32, 256, 7, 3);

        assertRefused(b, () -> b.mulMat(w, three), Op.MUL_MAT, "whole number of matrices", w, three);
    }

    @Test
    void refusesATransposedFirstFactor() {
        Tensor turned = b.transpose(b.tensor(F32, 5, 256)).named("turned");

        assertRefused(b, () -> b.mulMat(turned, x), Op.MUL_MAT, "must not be transposed", turned, x);
    }

    @Test
    void takesRowsOfNoElements() {
        Tensor none = b.tensor(F32, 0, 40);
        Tensor experts = b.tensor(F32, 0, 40, 8);

        assertThat(b.mulMat(none, b.tensor(F32, 0, 5)).shape()).isEqualTo(Shape.of(40, 5));
        assertThat(b.mulMatId(experts, b.tensor(F32, 0, 1, 5), b.tensor(I32, 2, 5))
                        .shape())
                .isEqualTo(Shape.of(40, 2, 5));
        assertThat(b.outProd(none, b.tensor(F32, 3, 40)).shape()).isEqualTo(Shape.of(0, 3));
    }

    @Test
    void multipliesByTheMatrixEachIdNames() {
        Tensor experts = b.weight("experts", Q4_K, 256, 40, 8);
        Tensor tokens = b.tensor(F32, 256, 1, 5);
        Tensor ids = b.tensor(I32, 2, 5);

        assertResult(b.mulMatId(experts, tokens, ids))
                .computes(Op.MUL_MAT_ID)
                .reads(experts, tokens, ids)
                .isFresh(F32, 40, 2, 5);
    }

    @Test
    void refusesIdsThatDoNotGoWithTheTokens() {
        Tensor tokens = b.tensor(F32, 256, 3, 5);
        Tensor ids = b.tensor(I32, 4, 5);
        Tensor fewer = b.tensor(I32, 3, 4);
        Tensor floats = b.tensor(F32, 3, 5);

        assertRefused(b, () -> b.mulMatId(w, tokens, ids), Op.MUL_MAT_ID, "a whole number of times", w, tokens, ids);
        assertRefused(b, () -> b.mulMatId(w, tokens, fewer), Op.MUL_MAT_ID, "one list of ids", w, tokens, fewer);
        assertRefused(b, () -> b.mulMatId(w, tokens, floats), Op.MUL_MAT_ID, "must be i32", w, tokens, floats);
    }

    @Test
    void addsUpOuterProducts() {
        Tensor a = b.tensor(F32, 6, 9, 2);
        Tensor y = b.tensor(F32, 4, 9, 4, 3);

        assertResult(b.outProd(a, y)).computes(Op.OUT_PROD).reads(a, y).isFresh(F32, 6, 4, 4, 3);
    }

    @Test
    void refusesOuterProductsOfUnequalRows() {
        Tensor a = b.tensor(F32, 6, 9);
        Tensor y = b.tensor(F32, 4, 8);

        assertRefused(b, () -> b.outProd(a, y), Op.OUT_PROD, "the same number of rows", a, y);
    }

    @Test
    void solvesForEachColumn() {
        Tensor a = b.tensor(F32, 5, 5, 2);
        Tensor y = b.tensor(F32, 3, 5, 2);

        assertResult(b.solveTri(a, y)).computes(Op.SOLVE_TRI).reads(a, y).isFresh(F32, 3, 5, 2);
    }

    @Test
    void refusesToSolveWhatIsNotSquare() {
        Tensor a = b.tensor(F32, 5, 4);
        Tensor y = b.tensor(F32, 3, 4);

        assertRefused(b, () -> b.solveTri(a, y), Op.SOLVE_TRI, "the first must be square", a, y);
    }

    @Test
    void putsRowsOnDiagonals() {
        Tensor rows = b.tensor(F16, 6, 1, 3, 2);

        assertResult(b.diag(rows)).computes(Op.DIAG).reads(rows).isFresh(F16, 6, 6, 3, 2);
    }

    @Test
    void refusesSeveralRowsForOneDiagonal() {
        Tensor rows = b.tensor(F16, 6, 2);

        assertRefused(b, () -> b.diag(rows), Op.DIAG, "one row per matrix", rows);
    }

    @Test
    void masksAfterTheDiagonal() {
        OpParameters.DiagMask past = new OpParameters.DiagMask(3);

        assertResult(b.diagMaskInf(x, 3))
                .computes(Op.DIAG_MASK_INF)
                .hasParameters(past)
                .reads(x)
                .isFresh(F32, 256, 7, 4, 3);
        assertResult(b.diagMaskZero(x, 3))
                .computes(Op.DIAG_MASK_ZERO)
                .hasParameters(past)
                .reads(x)
                .isFresh(F32, 256, 7, 4, 3);
        assertResult(b.diagMaskInfInplace(x, 3))
                .computes(Op.DIAG_MASK_INF)
                .hasParameters(past)
                .reads(x)
                .overwrites(x);
        assertResult(b.diagMaskZeroInplace(x, 3))
                .computes(Op.DIAG_MASK_ZERO)
                .hasParameters(past)
                .reads(x)
                .overwrites(x);
    }

    @Test
    void refusesANegativePast() {
        assertRefused(b, () -> b.diagMaskInf(x, -1), Op.DIAG_MASK_INF, "must not be negative", x);
        assertRefused(b, () -> b.diagMaskZero(x, -1), Op.DIAG_MASK_ZERO, "must not be negative", x);
    }

    @ParameterizedTest
    @EnumSource
    void keepsATriangle(TriangleKind kind) {
        Tensor square = b.tensor(F32, 4, 4, 2);

        assertResult(b.tri(square, kind))
                .computes(Op.TRI)
                .hasParameters(new OpParameters.Tri(kind))
                .reads(square)
                .isFresh(F32, 4, 4, 2);
    }

    @Test
    void refusesATriangleOfWhatIsNotSquare() {
        assertRefused(b, () -> b.tri(x, TriangleKind.LOWER), Op.TRI, "must be square", x);
    }
}
