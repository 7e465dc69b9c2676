package dev.stowage.models;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.SortOrder;
import dev.stowage.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Draws a token for each row of logits by ops that every device has. Candidates are sorted, the most likely first, so that
 * those that top-p and min-p allow are the first ones. Their probabilities are added up from the first on, and the first
 * whose sum is above the random number times the sum of all is drawn:
 *
 * <pre>
 *   candidates      0     1    2    3   4 ...
 *   probability   0.5   0.3  0.1
 *   sum           0.5   0.8  0.9  0.9 0.9
 *   above 0.7 * 0.9      ▲ the first one
 * </pre>
 *
 * Numbers are f32. A random number that is not more than 1 - 2^-23 keeps the product below the sum of all.
 */
final class DrawnTokens {

    /** Makes a candidate that is allowed larger than one that is not, should rounding leave no sum above the product. */
    private static final float ALLOWED = 0x1p-20f;

    private final GraphBuilder b;
    private final TokenChoice.Drawn choice;
    private final int candidates;
    private final long rows;

    private DrawnTokens(GraphBuilder b, TokenChoice.Drawn choice, Tensor logits) {
        this.b = b;
        this.choice = choice;
        this.candidates = Math.toIntExact(Math.min(choice.topK(), logits.dim(0)));
        this.rows = logits.dim(1);
    }

    /**
     * The tokens that are drawn, i32.
     *
     * @param logits {@code [vocabulary, rows]}
     * @param random a number for each row, from 0 and below 1: {@code [1, rows]}
     */
    static Tensor of(GraphBuilder b, TokenChoice.Drawn choice, Tensor logits, Tensor random) {
        return new DrawnTokens(b, choice, logits).draw(logits, random);
    }

    private Tensor draw(Tensor logits, Tensor random) {
        Tensor best = b.topK(logits, candidates);
        Tensor found = rows(b.getRows(column(logits), best));
        Tensor order = b.argsort(found, SortOrder.DESC);
        Tensor sorted = rows(b.getRows(column(found), order));
        Tensor tokens = b.getRows(column(best), order);

        Tensor likely = b.softMax(sorted, null, 1 / choice.temperature(), 0);
        Tensor allowed = allowed(sorted);
        Tensor weights = allowed == null ? likely : b.mul(likely, allowed);
        Tensor sums = b.cumsum(weights);
        Tensor target = b.mul(random, column(sums, candidates - 1L));
        Tensor isAbove = b.step(b.sub(sums, target));

        // Of those that are above, the first is the largest: -1 times -n, 1 - n, ... -1. A sum that is not a number
        // stays.
        Tensor fromFirst = b.mul(b.step(weights), b.arange(-candidates, 0, 1));
        Tensor selected = b.sub(b.scaleBias(sums, 0, -ALLOWED), isAbove);
        Tensor place = b.argmax(b.mul(selected, fromFirst));
        return b.getRows(tokens, b.reshape(place, 1, rows));
    }

    /** 1 for the sorted candidates that top-p and min-p allow and 0 for others; null where they allow all. */
    private @Nullable Tensor allowed(Tensor sorted) {
        boolean limitsSum = choice.topP() < 1;
        boolean limitsEach = choice.minP() > 0;
        if (!limitsSum && !limitsEach) {
            return null;
        }
        Tensor probabilities = b.softMax(sorted);
        @Nullable Tensor isWithin = limitsSum ? isWithinShare(probabilities) : null;
        if (!limitsEach) {
            return isWithin;
        }
        Tensor compared = b.div(probabilities, column(probabilities, 0));
        Tensor isTooSmall = b.step(b.scaleBias(compared, -1, choice.minP()));
        return isWithin == null ? b.scaleBias(isTooSmall, -1, 1) : b.step(b.sub(isWithin, isTooSmall));
    }

    /** 1 for candidates whose better ones have less than the share together. */
    private Tensor isWithinShare(Tensor probabilities) {
        Tensor better = b.sub(b.cumsum(probabilities), probabilities);
        return b.step(b.scaleBias(better, -1, choice.topP()));
    }

    /** The elements of each row as rows of one, which can be gathered. */
    private Tensor column(Tensor a) {
        return b.reshape(a, 1, a.dim(0), rows);
    }

    /** One element of each row. */
    private Tensor column(Tensor a, long element) {
        return b.view2d(a, 1, rows, a.stride(1), element * a.stride(0));
    }

    /** Gathered elements as rows again. */
    private Tensor rows(Tensor a) {
        return b.reshape(a, candidates, rows);
    }
}
