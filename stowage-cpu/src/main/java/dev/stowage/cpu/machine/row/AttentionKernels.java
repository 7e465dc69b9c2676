package dev.stowage.cpu.machine.row;

import dev.stowage.cpu.machine.MachineCode;
import java.util.stream.Stream;

/**
 * The kernels of attention, for {@link RowLevel#AVX512} alone: the two products of few queries with keys and values that are
 * halves, and the transposition of rows into lanes. They take addresses and counts that a prepared graph has checked.
 */
public final class AttentionKernels implements AutoCloseable {

    private final MachineCode down = MachineCode.of(TransposeCode.down());
    private final MachineCode across = MachineCode.of(TransposeCode.across());
    private final MachineCode scoresOf1 = MachineCode.of(ScoreCode.of(1));
    private final MachineCode scoresOf4 = MachineCode.of(ScoreCode.of(4));
    private final MachineCode meansOf1 = MachineCode.of(MeanCode.of(1));
    private final MachineCode meansOf4 = MachineCode.of(MeanCode.of(4));

    /** The transposition of 16 rows into lanes. */
    public Transposition toLanes() {
        return new Transposition(down);
    }

    /** The transposition of lanes into 16 rows. */
    public Transposition fromLanes() {
        return new Transposition(across);
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
        Stream.of(down, across, scoresOf1, scoresOf4, meansOf1, meansOf4).forEach(MachineCode::close);
    }

    /** A transposition of squares of 16 x 16 floats. */
    public record Transposition(MachineCode code) {

        /**
         * Transposes the squares of which {@link RowKernels#LANES} rows, or as many vectors of lanes as a row has elements, consist.
         *
         * @param fromStride bytes from row to row, or from vector to vector
         * @param squares how many there are, at least one
         * @param factors 16 floats that each vector is multiplied with as it is read
         */
        public void transpose(long from, long fromStride, long to, long toStride, int squares, long factors) {
            code.call(from, to, fromStride, toStride, squares, factors);
        }
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
