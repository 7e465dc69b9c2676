package dev.stowage.cpu.op.attention;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.math.ExpKernels;
import dev.stowage.cpu.kernel.product.FloatTileKernels;
import dev.stowage.cpu.op.operand.RowBlockDecoder;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.tensor.OpParameters;
import org.jspecify.annotations.Nullable;

/**
 * A node of attention as its tasks see it: the address of each operand, and numbers that follow from the parameters. Heads that
 * share both keys and values make a group (or several, if they are very many), whose rows of queries are worked on
 * together. Scores are logarithms to base two, so all that is added to them is multiplied with {@code log2(e)}.
 */
final class AttentionOperands {

    /** Rows to work on together if heads are small: decoding keys and values then costs little beside the products. */
    private static final int ROWS = 256;

    /** What rows have in queries and means is to stay in the second cache. */
    private static final int FLOATS = 80 * 1024;

    final Operand q;
    final Operand k;
    final Operand v;
    final @Nullable Operand mask;
    final Operand result;
    final RowBlockDecoder keys;
    final RowBlockDecoder values;
    final int keySize;
    final int valueSize;
    final int queries;
    final int cells;
    final int heads;

    /** How many heads make a group. */
    final int shared;

    /** What queries are multiplied with. */
    final float scale;

    /** What scores are bounded by; 0 if they are not. */
    final float cap;

    private final float maxBias;
    private final @Nullable Operand sinks;
    private final long headsPerKey;
    private final long headsPerValue;

    AttentionOperands(NodeBuilder node) {
        OpParameters.FlashAttention parameters = node.parameters(OpParameters.FlashAttention.class);
        this.q = node.operand(0);
        this.k = node.operand(1);
        this.v = node.operand(2);
        this.mask = node.has(3) ? node.operand(3) : null;
        this.sinks = node.has(4) ? node.operand(4) : null;
        this.result = node.result();
        this.keys = RowBlockDecoder.of(k.type, k.d0);
        this.values = RowBlockDecoder.of(v.type, v.d0);
        this.keySize = Math.toIntExact(k.d0);
        this.valueSize = Math.toIntExact(v.d0);
        this.queries = Math.toIntExact(q.d1);
        this.cells = Math.toIntExact(k.d1);
        this.heads = Math.toIntExact(q.d2);
        this.headsPerKey = q.d2 / k.d2;
        this.headsPerValue = q.d2 / v.d2;
        this.shared = largestDivisor(greatestCommonDivisor(headsPerKey, headsPerValue));
        float softcap = parameters.logitSoftcap();
        // The bound is taken with powers of two as well, of twice the score.
        this.scale = softcap == 0
                ? parameters.scale() * ExpKernels.LOG2_E
                : parameters.scale() / softcap * (2 * ExpKernels.LOG2_E);
        this.cap = softcap * ExpKernels.LOG2_E;
        this.maxBias = parameters.maxBias();
    }

    private static long greatestCommonDivisor(long a, long b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }

    /** As many heads as are worked on together: fewer than share keys and values if those are very many. */
    private int largestDivisor(long heads) {
        int most = Math.max(1, rowsWanted() / Math.min(queries, FloatTileKernels.LANES));
        int divisor = (int) Math.min(heads, most);
        while (heads % divisor != 0) {
            divisor--;
        }
        return divisor;
    }

    int rowsWanted() {
        return Math.min(ROWS, FLOATS / (keySize + valueSize));
    }

    long groups() {
        return heads / shared * q.d3;
    }

    long query(long query, long head, long batch) {
        return q.at(query, head, batch);
    }

    long key(long cell, long head, long batch) {
        return k.at(cell, head / headsPerKey, batch);
    }

    long value(long cell, long head, long batch) {
        return v.at(cell, head / headsPerValue, batch);
    }

    long mean(long query, long head, long batch) {
        return result.at(head, query, batch);
    }

    /** Whether heads have masks of their own. */
    boolean hasMaskPerHead() {
        return mask != null && mask.d2 > 1;
    }

    static long maskRow(Operand mask, long query, long head, long batch) {
        return mask.repeated(query, head, batch);
    }

    /** What the mask of a head is multiplied with: the rule is that of the reference. */
    float slope(long head) {
        if (!(maxBias > 0)) {
            return ExpKernels.LOG2_E;
        }
        long power = Long.highestOneBit(heads);
        double exponent = head < power
                ? -maxBias / (double) power * (head + 1)
                : -maxBias / 2.0 / power * (2 * (head - power) + 1);
        return (float) (Math.pow(2, exponent) * ExpKernels.LOG2_E);
    }

    /**
     * What a mean is to be multiplied with, once all cells have been seen.
     *
     * @param max the largest score
     * @param sum the sum of the weights
     */
    float share(long head, float max, float sum) {
        if (sinks == null) {
            return sum == 0 ? 0 : 1 / sum;
        }
        double sink = Memory.getFloat(sinks.address + head * sinks.s0) * (double) ExpKernels.LOG2_E;
        double largest = Math.max(max, sink);
        double weight = max == Float.NEGATIVE_INFINITY ? 0 : Math.pow(2, max - largest);
        double total = sum * weight + (sink == Double.NEGATIVE_INFINITY ? 0 : Math.pow(2, sink - largest));
        return total == 0 ? 0 : (float) (weight / total);
    }
}
