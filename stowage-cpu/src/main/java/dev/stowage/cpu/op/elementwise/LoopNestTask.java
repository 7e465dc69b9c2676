package dev.stowage.cpu.op.elementwise;

import dev.stowage.cpu.team.RangeTask;

/**
 * Computes a result element by element: runs the rows of a {@link LoopNest}, cut into slices so that even one long row
 * is shared by all threads. Slices that follow each other in a row are computed as one.
 */
final class LoopNestTask extends RangeTask {

    /** What it takes to find the place of a row and to begin it. */
    private static final double NANOS_PER_ROW = 20;

    private final LoopNest nest;
    private final ElementLoop run;
    private final long result;
    private final long a;
    private final long b;
    private final long slicesPerRow;

    /** Computes {@code result} from {@code a} and {@code b} by runs made for the steps of the nest. */
    LoopNestTask(
            LoopNest nest, ElementLoop run, StridedElements result, StridedElements a, StridedElements b, int threads) {
        super(slicesPerRow(nest) * nest.rows(), nanosPerSlice(nest, run), threads);
        this.nest = nest;
        this.run = run;
        this.result = result.address();
        this.a = a.address();
        this.b = b.address();
        this.slicesPerRow = slicesPerRow(nest);
    }

    private static long slicesPerRow(LoopNest nest) {
        return Math.ceilDiv(nest.rowLength(), ElementLoop.SLICE);
    }

    private static double nanosPerSlice(LoopNest nest, ElementLoop run) {
        double elements = (double) nest.rowLength() / slicesPerRow(nest);
        return elements * run.nanosPerElement() + NANOS_PER_ROW / slicesPerRow(nest);
    }

    @Override
    protected void run(long from, long to, int thread) {
        long slice = from;
        while (slice < to) {
            long row = slice / slicesPerRow;
            long first = slice - row * slicesPerRow;
            long slices = Math.min(to - slice, slicesPerRow - first);
            runRow(row, first * ElementLoop.SLICE, slices * ElementLoop.SLICE, thread);
            slice += slices;
        }
    }

    private void runRow(long row, long first, long atMost, int thread) {
        run.run(
                result + nest.resultOffset(row) + first * nest.resultStep(),
                a + nest.aOffset(row) + first * nest.aStep(),
                b + nest.bOffset(row) + first * nest.bStep(),
                Math.min(atMost, nest.rowLength() - first),
                thread);
    }
}
