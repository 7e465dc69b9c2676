package dev.stowage.reference.kernel.matrix;

import dev.stowage.device.Step;
import dev.stowage.error.AccessException;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.quant.DotType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Shape;
import java.util.Arrays;
import java.util.Map;

/** Products of matrices, and equations with them; their diagonals and triangles are in {@link DiagonalKernels}. */
public final class MatrixKernels {

    private MatrixKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.MUL_MAT, MatrixKernels::mulMat);
        kernels.put(Op.MUL_MAT_ID, MatrixKernels::mulMatId);
        kernels.put(Op.OUT_PROD, MatrixKernels::outProd);
        kernels.put(Op.SOLVE_TRI, MatrixKernels::solveTri);
        DiagonalKernels.addTo(kernels);
    }

    /** {@code sum(a[k] * b[k])}. */
    public static double dot(double[] a, double[] b) {
        double sum = 0;
        for (int k = 0; k < a.length; k++) {
            sum += a[k] * b[k];
        }
        return sum;
    }

    /** {@code result[m, n] = dot(row m of a, row n of b)}; a matrix of {@code a} serves several of {@code b}. */
    private static void mulMat(Step step) {
        Elements a = Elements.of(step.operand(0));
        Elements b = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        Shape shape = result.shape();
        long sharing2 = b.shape().d2() / a.shape().d2();
        long sharing3 = b.shape().d3() / a.shape().d3();
        for (long i3 = 0; i3 < shape.d3(); i3++) {
            for (long i2 = 0; i2 < shape.d2(); i2++) {
                double[][] rowsOfB = b.matrix(i2, i3);
                Arrays.setAll(rowsOfB, n -> DotType.round(rowsOfB[n], a.type()));
                for (long m = 0; m < shape.d0(); m++) {
                    double[] rowOfA = a.row(m, i2 / sharing2, i3 / sharing3);
                    for (int n = 0; n < rowsOfB.length; n++) {
                        result.set(m, n, i2, i3, dot(rowOfA, rowsOfB[n]));
                    }
                }
            }
        }
    }

    /** {@code result[m, e, t] = dot(row m of matrix ids[e, t], row e of b for token t)}, rows of b used in turn. */
    private static void mulMatId(Step step) {
        Elements matrices = Elements.of(step.operand(0));
        Elements b = Elements.of(step.operand(1));
        Elements ids = Elements.of(step.operand(2));
        Elements result = Elements.of(step.result());
        Elements.forEachRow(result.shape(), (e, t, i3) -> {
            long id = ids.getLong(e, t, 0, 0);
            if (id < 0 || id >= matrices.shape().d2()) {
                throw new AccessException("id " + e + " of token " + t + " is " + id + ", and there are matrices 0 to "
                        + (matrices.shape().d2() - 1));
            }
            double[] rowOfB = DotType.round(b.row(e % b.shape().d1(), t, 0), matrices.type());
            for (long m = 0; m < result.shape().d0(); m++) {
                result.set(m, e, t, 0, dot(matrices.row(m, id, 0), rowOfB));
            }
        });
    }

    /** {@code result[m, n] = sum over rows k of a[m, k] * b[n, k]}, matrices of {@code a} shared as in a product. */
    private static void outProd(Step step) {
        Elements a = Elements.of(step.operand(0));
        Elements b = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        long sharing2 = b.shape().d2() / a.shape().d2();
        long sharing3 = b.shape().d3() / a.shape().d3();
        Elements.forEachRow(result.shape(), (n, i2, i3) -> {
            double[] sum = new double[Math.toIntExact(result.shape().d0())];
            for (long k = 0; k < a.shape().d1(); k++) {
                double[] row = a.row(k, i2 / sharing2, i3 / sharing3);
                double factor = b.get(n, k, i2, i3);
                Arrays.setAll(sum, m -> sum[m] + row[m] * factor);
            }
            result.setRow(n, i2, i3, sum);
        });
    }

    /** Solves {@code a * x = b} from the first row of the triangle down, one column of {@code x} after another. */
    private static void solveTri(Step step) {
        Elements a = Elements.of(step.operand(0));
        Elements b = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        Shape columns = result.shape().with(1, 1);
        Elements.forEach(columns, (column, _, i2, i3) -> {
            double[] x = new double[Math.toIntExact(a.shape().d0())];
            for (int row = 0; row < x.length; row++) {
                double known = 0;
                for (int i = 0; i < row; i++) {
                    known += a.get(i, row, i2, i3) * x[i];
                }
                x[row] = (b.get(column, row, i2, i3) - known) / a.get(row, row, i2, i3);
                result.set(column, row, i2, i3, x[row]);
            }
        });
    }
}
