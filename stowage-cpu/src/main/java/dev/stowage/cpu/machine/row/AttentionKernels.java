package dev.stowage.cpu.machine.row;

import dev.stowage.cpu.machine.MachineCode;
import java.util.stream.Stream;

/**
 * The two products of attention for few queries, with keys and values that are halves. They take addresses and counts that a
 * prepared graph has checked.
 */
public final class AttentionKernels implements AutoCloseable {

    private final RowLevel level;
    private final MachineCode scoresOf1;
    private final MachineCode scoresOf4;
    private final MachineCode meansOf1;
    private final MachineCode meansOf4;

    /** Writes them all, with instructions that the processor must have. */
    public AttentionKernels(RowLevel level) {
        this.level = level;
        this.scoresOf1 = MachineCode.of(ScoreCode.of(level, 1));
        this.scoresOf4 = MachineCode.of(ScoreCode.of(level, 4));
        this.meansOf1 = MachineCode.of(MeanCode.of(level, 1));
        this.meansOf4 = MachineCode.of(MeanCode.of(level, 4));
    }

    /** The lanes that the product of a key and a query is spread over. */
    public int lanes() {
        return level.lanes();
    }

    /** The products of keys that are halves and 4 queries or 1. */
    public Attention scores(int queries) {
        return new Attention(queries == 1 ? scoresOf1 : scoresOf4);
    }

    /** The sums of values that are halves by the weights of 4 rows or 1. */
    public Attention means(int rows) {
        return new Attention(rows == 1 ? meansOf1 : meansOf4);
    }

    @Override
    public void close() {
        Stream.of(scoresOf1, scoresOf4, meansOf1, meansOf4).forEach(MachineCode::close);
    }

    /** One of the two products of attention for few rows of queries. */
    public record Attention(MachineCode code) {

        /** Keys are multiplied so many at a time. */
        public static final int KEYS = 4;

        /** The elements of keys are a multiple of this. */
        public static final int KEY_ELEMENTS = 32;

        /** The elements of values are a multiple of this. */
        public static final int VALUE_ELEMENTS = 64;

        /**
         * Multiplies cells, which are keys or values.
         *
         * @param cells where the first begins
         * @param stride bytes from cell to cell
         * @param count fours of keys, or values; at least one
         * @param other the queries, or the weights
         * @param elements how many a cell has
         * @param next bytes from a cell to one that is read soon after, which is fetched into the cache; any number
         */
        public void multiply(long cells, long stride, int count, long other, int elements, long to, long next) {
            code.call(cells, other, to, stride, count | (long) elements << 32, next);
        }
    }
}
