package dev.stowage.reference.kernel.attention;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.reference.kernel.RestrictedKernel;
import dev.stowage.reference.kernel.matrix.MatrixKernels;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import java.util.Map;

/** Softmax and the choice of keys; the fused attention is {@link FlashAttentionKernel}. */
public final class AttentionKernels {

    private AttentionKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.SOFT_MAX, RestrictedKernel.ofFractions(AttentionKernels::softMax));
        kernels.put(Op.FLASH_ATTN_EXT, new FlashAttentionKernel());
        kernels.put(Op.LIGHTNING_INDEXER, AttentionKernels::lightningIndexer);
    }

    /** {@code exp(s) / (sum(exp(s)) + exp(sink))} with the scores {@code s = a * scale + slope * mask} of a row. */
    private static void softMax(Step step) {
        OpParameters.SoftMax parameters = Parameters.of(step, OpParameters.SoftMax.class);
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        AttentionBias bias =
                AttentionBias.of(step, 1, parameters.maxBias(), a.shape().d2());
        Elements.forEachRow(result.shape(), (query, head, batch) -> {
            double[] scores = a.row(query, head, batch);
            double sink = sink(step, 2, head);
            double max = sink;
            for (int key = 0; key < scores.length; key++) {
                scores[key] = scores[key] * parameters.scale() + bias.at(key, query, head, batch);
                max = Math.max(max, scores[key]);
            }
            double sum = weight(sink, max);
            for (int key = 0; key < scores.length; key++) {
                scores[key] = Math.exp(scores[key] - max);
                sum += scores[key];
            }
            for (int key = 0; key < scores.length; key++) {
                scores[key] /= sum;
            }
            result.setRow(query, head, batch, scores);
        });
    }

    /** The score that every query of a head has besides those of its keys; minus infinity if there is none. */
    static double sink(Step step, int slot, long head) {
        return step.hasOperand(slot) ? Elements.of(step.operand(slot)).get(head, 0, 0, 0) : Double.NEGATIVE_INFINITY;
    }

    /** {@code exp(score - max)}, and nothing for what has no score even if nothing has. */
    static double weight(double score, double max) {
        return score == Double.NEGATIVE_INFINITY ? 0 : Math.exp(score - max);
    }

    /** {@code result[key, token] = sum over heads of weight * max(0, dot(q, k)) + mask}. */
    private static void lightningIndexer(Step step) {
        Elements q = Elements.of(step.operand(0));
        Elements k = Elements.of(step.operand(1));
        Elements weights = Elements.of(step.operand(2));
        Elements mask = Elements.of(step.operand(3));
        Elements result = Elements.of(step.result());
        Elements.forEachRow(result.shape(), (token, _, batch) -> {
            double[][] queries = q.matrix(token, batch);
            for (long key = 0; key < result.shape().d0(); key++) {
                double[] keyRow = k.row(0, key, batch);
                double score = 0;
                for (int head = 0; head < queries.length; head++) {
                    double match = MatrixKernels.dot(queries[head], keyRow);
                    // Not Math.max: as in ggml, a NaN counts as no match.
                    score += (match > 0 ? match : 0) * weights.get(head, token, 0, batch);
                }
                result.set(
                        key,
                        token,
                        0,
                        batch,
                        score + mask.get(key, token, 0, batch % mask.shape().d3()));
            }
        });
    }
}
