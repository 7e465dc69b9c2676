package dev.stowage.reference.kernel.attention;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What attention adds to its scores: the mask, repeated over heads and batches, times the slope of the head where ALiBi
 * asks for one. Without a mask nothing is added.
 */
final class AttentionBias {

    private final @Nullable Elements mask;
    private final double[] slopes;

    private AttentionBias(@Nullable Elements mask, double[] slopes) {
        this.mask = mask;
        this.slopes = slopes;
    }

    /** The mask in an operand slot, which may be empty, for that many heads. */
    static AttentionBias of(Step step, int slot, float maxBias, long heads) {
        double[] slopes = new double[Math.toIntExact(heads)];
        Arrays.setAll(slopes, head -> slope(maxBias, head, heads));
        return new AttentionBias(step.hasOperand(slot) ? Elements.of(step.operand(slot)) : null, slopes);
    }

    /**
     * Heads up to the largest power of two {@code p} among them have the slopes {@code 2^(-maxBias * (head + 1) / p)};
     * those after them take every other one of the slopes twice as many heads would have.
     */
    static double slope(float maxBias, long head, long heads) {
        if (!(maxBias > 0)) {
            return 1;
        }
        long power = Long.highestOneBit(heads);
        return head < power
                ? Math.pow(2, -maxBias / (double) power * (head + 1))
                : Math.pow(2, -maxBias / 2.0 / power * (2 * (head - power) + 1));
    }

    double at(long key, long query, long head, long batch) {
        if (mask == null) {
            return 0;
        }
        return slopes[(int) head]
                * mask.get(
                        key,
                        query,
                        head % mask.shape().d2(),
                        batch % mask.shape().d3());
    }
}
