package dev.stowage.reference.kernel.sequence;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import java.util.Map;

/** Residual connections of several streams that are mixed around each layer. */
public final class HyperConnectionKernels {

    private static final int STREAMS = 4;

    /** The mixes of a token begin with two weights for each stream, which are for other ops. */
    private static final int FIRST_MIX = 2 * STREAMS;

    /** The scales of a token begin with those of these weights. */
    private static final int SCALE = 2;

    private HyperConnectionKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.DSV4_HC_COMB, HyperConnectionKernels::comb);
        kernels.put(Op.DSV4_HC_PRE, HyperConnectionKernels::pre);
        kernels.put(Op.DSV4_HC_POST, HyperConnectionKernels::post);
    }

    /** The softmax of each row of the mixes, then columns and rows divided by their sums in turn, columns last. */
    private static void comb(Step step) {
        OpParameters.HyperConnection parameters = Parameters.of(step, OpParameters.HyperConnection.class);
        Elements mixes = Elements.of(step.operand(0));
        Elements base = Elements.of(step.operand(2));
        Elements result = Elements.of(step.result());
        double scale = Elements.of(step.operand(1)).get(SCALE, 0, 0, 0);
        for (long token = 0; token < result.shape().d2(); token++) {
            double[][] comb = new double[STREAMS][STREAMS];
            for (int row = 0; row < STREAMS; row++) {
                for (int column = 0; column < STREAMS; column++) {
                    int mix = FIRST_MIX + column + STREAMS * row;
                    comb[row][column] = mixes.get(mix, token, 0, 0) * scale + base.get(mix, 0, 0, 0);
                }
                softMax(comb[row], parameters.epsilon());
            }
            balanceColumns(comb, parameters.epsilon());
            for (int i = 1; i < parameters.iterations(); i++) {
                balanceRows(comb, parameters.epsilon());
                balanceColumns(comb, parameters.epsilon());
            }
            for (int row = 0; row < STREAMS; row++) {
                result.setRow(row, token, 0, comb[row]);
            }
        }
    }

    private static void softMax(double[] row, double epsilon) {
        double max = Double.NEGATIVE_INFINITY;
        for (double value : row) {
            max = Math.max(max, value);
        }
        double sum = 0;
        for (double value : row) {
            sum += Math.exp(value - max);
        }
        for (int i = 0; i < row.length; i++) {
            row[i] = Math.exp(row[i] - max) / sum + epsilon;
        }
    }

    private static void balanceRows(double[][] matrix, double epsilon) {
        for (double[] row : matrix) {
            double sum = epsilon;
            for (double value : row) {
                sum += value;
            }
            for (int i = 0; i < row.length; i++) {
                row[i] /= sum;
            }
        }
    }

    private static void balanceColumns(double[][] matrix, double epsilon) {
        for (int column = 0; column < matrix.length; column++) {
            double sum = epsilon;
            for (double[] row : matrix) {
                sum += row[column];
            }
            for (double[] row : matrix) {
                row[column] /= sum;
            }
        }
    }

    /** {@code result[i, token] = sum over streams of weights[stream, token] * x[i, stream, token]}. */
    private static void pre(Step step) {
        Elements x = Elements.of(step.operand(0));
        Elements weights = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        Elements.forEach(result.shape(), (i, token, _, _) -> {
            double sum = 0;
            for (long stream = 0; stream < x.shape().d1(); stream++) {
                sum += weights.get(stream, token, 0, 0) * x.get(i, stream, token, 0);
            }
            result.set(i, token, 0, 0, sum);
        });
    }

    /** {@code result[i, to] = x[i] * post[to] + sum over streams of residual[i, from] * comb[to, from]}, per token. */
    private static void post(Step step) {
        Elements x = Elements.of(step.operand(0));
        Elements residual = Elements.of(step.operand(1));
        Elements post = Elements.of(step.operand(2));
        Elements comb = Elements.of(step.operand(3));
        Elements result = Elements.of(step.result());
        Elements.forEach(result.shape(), (i, to, token, _) -> {
            double sum = x.get(i, token, 0, 0) * post.get(to, token, 0, 0);
            for (long from = 0; from < residual.shape().d1(); from++) {
                sum += residual.get(i, from, token, 0) * comb.get(to, from, token, 0);
            }
            result.set(i, to, token, 0, sum);
        });
    }
}
