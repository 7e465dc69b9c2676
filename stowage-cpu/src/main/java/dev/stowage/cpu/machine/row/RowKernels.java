package dev.stowage.cpu.machine.row;

import dev.stowage.cpu.machine.Feature;
import dev.stowage.cpu.machine.MachineCode;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The kernels of rows: products with a column, and conversions. They take addresses and counts that a prepared graph has
 * checked, and rows of a multiple of {@value #LANES} elements.
 */
public final class RowKernels implements AutoCloseable {

    /** Rows have a multiple of so many elements. */
    public static final int LANES = 16;

    /** The features of the processor that the code uses. */
    public static final Set<Feature> FEATURES = Set.of(
            Feature.AVX2,
            Feature.F16C,
            Feature.FMA,
            Feature.AVX512F,
            Feature.AVX512DQ,
            Feature.AVX512BW,
            Feature.AVX512VL);

    private final Map<RowType, Dot> dots = new EnumMap<>(RowType.class);
    private final Map<RowType, Conversion> decodings = new EnumMap<>(RowType.class);
    private final MachineCode encoding = MachineCode.of(ConversionCode.toHalves());
    private final MachineCode down = MachineCode.of(TransposeCode.down());
    private final MachineCode across = MachineCode.of(TransposeCode.across());
    private final MachineCode scoresOf1 = MachineCode.of(ScoreCode.of(1));
    private final MachineCode scoresOf4 = MachineCode.of(ScoreCode.of(4));
    private final MachineCode meansOf1 = MachineCode.of(MeanCode.of(1));
    private final MachineCode meansOf4 = MachineCode.of(MeanCode.of(4));

    /**
     * Writes them all.
     *
     * @throws UnsupportedOperationException if no machine code can be run here
     */
    public RowKernels() {
        for (RowType type : RowType.values()) {
            dots.put(type, new Dot(MachineCode.of(DotCode.of(type))));
            decodings.put(type, new Conversion(MachineCode.of(ConversionCode.toFloats(type))));
        }
    }

    /** The products of rows of a type and a column. */
    public Dot dot(RowType type) {
        return Objects.requireNonNull(dots.get(type));
    }

    /** The conversion of rows of a type to floats. */
    public Conversion toFloats(RowType type) {
        return Objects.requireNonNull(decodings.get(type));
    }

    /** The conversion of rows of floats to the nearest halves. */
    public Conversion toHalves() {
        return new Conversion(encoding);
    }

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
        dots.values().forEach(dot -> dot.code().close());
        decodings.values().forEach(conversion -> conversion.code().close());
        Stream.of(encoding, down, across, scoresOf1, scoresOf4, meansOf1, meansOf4)
                .forEach(MachineCode::close);
    }

    /** A transposition of squares of 16 x 16 floats. */
    public record Transposition(MachineCode code) {

        /**
         * Transposes the squares of which {@link #LANES} rows, or as many vectors of lanes as a row has elements, consist.
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

    /** The products of rows and a column. */
    public record Dot(MachineCode code) {

        /**
         * Multiplies rows with a column.
         *
         * @param rows where the first begins
         * @param stride bytes from row to row
         * @param count how many there are, at least one
         * @param column the floats to multiply with
         * @param elements how many a row has, a multiple of {@link #LANES} and at least that
         * @param to where the results go, one float after the other
         */
        public void multiply(long rows, long stride, long count, long column, long elements, long to) {
            code.call(rows, column, to, stride, count, elements);
        }
    }

    /** A conversion of rows. */
    public record Conversion(MachineCode code) {

        /**
         * Converts rows.
         *
         * @param rows how many there are, 1 to 2^31 - 1
         * @param elements how many a row has, a multiple of {@link #LANES} and at least that
         * @param next bytes from what is read to what is read soon after, which is fetched into the cache; any number
         */
        public void convert(long from, long fromStride, long to, long toStride, int rows, int elements, long next) {
            code.call(from, to, fromStride, toStride, rows | (long) elements << 32, next);
        }
    }
}
