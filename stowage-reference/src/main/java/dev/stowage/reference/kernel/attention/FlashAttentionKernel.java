package dev.stowage.reference.kernel.attention;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.reference.kernel.matrix.MatrixKernels;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;

/**
 * {@link Op#FLASH_ATTN_EXT} the long way: all scores of a query, their softmax, and the mean of the values with these
 * weights. Keys and values serve several heads each. A key whose mask is minus infinity takes no part, and a query left
 * without any gets zeros.
 */
final class FlashAttentionKernel implements Kernel {

    @Override
    public void compute(Step step) {
        OpParameters.FlashAttention parameters = Parameters.of(step, OpParameters.FlashAttention.class);
        Elements q = Elements.of(step.operand(0));
        Elements k = Elements.of(step.operand(1));
        Elements v = Elements.of(step.operand(2));
        Elements result = Elements.of(step.result());
        Shape shape = q.shape();
        AttentionBias bias = AttentionBias.of(step, 3, parameters.maxBias(), shape.d2());
        for (long batch = 0; batch < shape.d3(); batch++) {
            for (long head = 0; head < shape.d2(); head++) {
                double[][] keys = k.matrix(head / (shape.d2() / k.shape().d2()), batch);
                double[][] values = v.matrix(head / (shape.d2() / v.shape().d2()), batch);
                double sink = AttentionKernels.sink(step, 4, head);
                for (long query = 0; query < shape.d1(); query++) {
                    double[] scores = scores(q.row(query, head, batch), keys, parameters);
                    for (int key = 0; key < scores.length; key++) {
                        double added = bias.at(key, query, head, batch);
                        scores[key] = added == Double.NEGATIVE_INFINITY ? added : scores[key] + added;
                    }
                    int length = Math.toIntExact(v.shape().d0());
                    result.setRow(head, query, batch, mean(scores, sink, values, length));
                }
            }
        }
    }

    private static double[] scores(double[] query, double[][] keys, OpParameters.FlashAttention parameters) {
        double cap = parameters.logitSoftcap();
        double[] scores = new double[keys.length];
        for (int key = 0; key < keys.length; key++) {
            double score = MatrixKernels.dot(query, keys[key]) * parameters.scale();
            scores[key] = cap == 0 ? score : cap * Math.tanh(score / cap);
        }
        return scores;
    }

    private static double[] mean(double[] scores, double sink, double[][] values, int length) {
        double max = sink;
        for (double score : scores) {
            max = Math.max(max, score);
        }
        double sum = AttentionKernels.weight(sink, max);
        double[] mean = new double[length];
        for (int key = 0; key < scores.length; key++) {
            // A key without weight is left out and not multiplied by zero: its value may be NaN or infinite.
            if (scores[key] != Double.NEGATIVE_INFINITY) {
                double weight = Math.exp(scores[key] - max);
                sum += weight;
                for (int i = 0; i < length; i++) {
                    mean[i] += weight * values[key][i];
                }
            }
        }
        for (int i = 0; i < length; i++) {
            mean[i] = sum == 0 ? 0 : mean[i] / sum;
        }
        return mean;
    }
}
