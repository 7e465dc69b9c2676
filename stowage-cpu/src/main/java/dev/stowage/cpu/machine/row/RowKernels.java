package dev.stowage.cpu.machine.row;

import dev.stowage.cpu.machine.MachineCode;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * The kernels of rows: products with a column, and conversions. They take addresses and counts that a prepared graph has
 * checked, and rows of a multiple of {@value #LANES} elements.
 */
public final class RowKernels implements AutoCloseable {

    /** Rows have a multiple of so many elements. */
    public static final int LANES = 16;

    private final Map<RowType, Dot> dots = new EnumMap<>(RowType.class);
    private final Map<RowType, Conversion> decodings = new EnumMap<>(RowType.class);
    private final MachineCode encoding;

    /**
     * Writes them all.
     *
     * @param level instructions that the processor must have
     * @throws UnsupportedOperationException if no machine code can be run here
     */
    public RowKernels(RowLevel level) {
        this.encoding = MachineCode.of(ConversionCode.toHalves(level));
        for (RowType type : RowType.values()) {
            dots.put(type, new Dot(MachineCode.of(DotCode.of(level, type))));
            decodings.put(type, new Conversion(MachineCode.of(ConversionCode.toFloats(level, type))));
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

    @Override
    public void close() {
        dots.values().forEach(dot -> dot.code().close());
        decodings.values().forEach(conversion -> conversion.code().close());
        encoding.close();
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
