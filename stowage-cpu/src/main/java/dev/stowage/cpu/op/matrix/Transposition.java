package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;

/**
 * Transposes matrices of floats, one after the other.
 *
 * @see PanelProduct#rows
 */
public final class Transposition extends RangeTask {

    private static final long ROWS = 16;

    /** Where the matrices are: those of a tensor, or all of it as one. */
    private record Matrices(FloatSource source, long rows, long width, long rowStride, boolean whole) {

        long at(long matrix) {
            return whole ? source.address() : source.at(0, matrix % source.d2, matrix / source.d2);
        }
    }

    private final Matrices from;
    private final Scratch target;
    private final long strips;

    private Transposition(Matrices from, long count, Scratch target, int threads) {
        super(Math.ceilDiv(from.rows(), ROWS) * count, (double) ROWS * from.width(), threads);
        this.from = from;
        this.target = target;
        this.strips = Math.ceilDiv(from.rows(), ROWS);
    }

    /** Of each matrix of a tensor. */
    static Transposition ofEach(FloatSource source, Scratch target, int threads) {
        Matrices matrices = new Matrices(source, source.d1, source.d0, source.s1, false);
        return new Transposition(matrices, source.d2 * source.d3, target, threads);
    }

    /** Of a tensor without gaps as one matrix with so many rows. */
    public static Transposition ofRows(FloatSource source, long rows, Scratch target, int threads) {
        long width = source.d0 * source.d1 * source.d2 * source.d3 / rows;
        return new Transposition(new Matrices(source, rows, width, width * Float.BYTES, true), 1, target, threads);
    }

    @Override
    protected void run(long first, long end, int thread) {
        for (long item = first; item < end; item++) {
            long matrix = item / strips;
            long row = item % strips * ROWS;
            PanelKernels.transpose(
                    from.at(matrix),
                    from.rowStride(),
                    row,
                    Math.min(from.rows(), row + ROWS),
                    from.width(),
                    target.address() + matrix * from.width() * from.rows() * Float.BYTES,
                    from.rows() * Float.BYTES);
        }
    }
}
