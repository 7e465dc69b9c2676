package dev.stowage.cpu.machine.row;

import dev.stowage.cpu.machine.MachineCode;

/**
 * The transposition of rows into lanes and of lanes into rows, for {@link RowLevel#AVX512} alone. It takes addresses and counts that
 * a prepared graph has checked.
 */
public final class LaneKernels implements AutoCloseable {

    private final MachineCode down = MachineCode.of(TransposeCode.down());
    private final MachineCode across = MachineCode.of(TransposeCode.across());

    /** The transposition of 16 rows into lanes. */
    public Transposition toLanes() {
        return new Transposition(down);
    }

    /** The transposition of lanes into 16 rows. */
    public Transposition fromLanes() {
        return new Transposition(across);
    }

    @Override
    public void close() {
        down.close();
        across.close();
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
}
