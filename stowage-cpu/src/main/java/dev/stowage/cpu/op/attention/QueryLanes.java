package dev.stowage.cpu.op.attention;

import dev.stowage.cpu.kernel.attention.AttentionPanelKernels;
import dev.stowage.cpu.machine.row.LaneKernels;
import dev.stowage.cpu.machine.row.RowKernels;
import dev.stowage.cpu.machine.row.RowSupport;
import java.util.Optional;

/**
 * Moves rows of elements into neighbouring lanes, and lanes out into rows: by machine code where they fill a vector and elements
 * do too, else number by number.
 */
final class QueryLanes {

    private static final int LANES = RowKernels.LANES;

    private final int elements;
    private final Optional<LaneKernels> kernels;

    QueryLanes(int elements) {
        this.elements = elements;
        this.kernels = RowSupport.lanes(elements);
    }

    /**
     * Writes rows into lanes, times a scale.
     *
     * @param factors memory for a vector
     * @param to the lane of the first row
     * @param stride bytes from element to element of a lane
     */
    void pack(long from, long fromStride, int rows, float scale, long factors, long to, long stride) {
        if (rows == LANES && kernels.isPresent()) {
            AttentionPanelKernels.fill(factors, LANES, scale);
            kernels.get().toLanes().transpose(from, fromStride, to, stride, elements / LANES, factors);
        } else {
            AttentionPanelKernels.pack(from, fromStride, rows, elements, scale, to, stride);
        }
    }

    /**
     * Writes lanes out as rows, each times a factor of its own.
     *
     * @param from the lane of the first row
     * @param stride bytes from element to element of a lane
     * @param factors a float for each row
     */
    void unpack(long from, long stride, int rows, long factors, long to, long toStride) {
        if (rows == LANES && kernels.isPresent()) {
            kernels.get().fromLanes().transpose(from, stride, to, toStride, elements / LANES, factors);
        } else {
            AttentionPanelKernels.unpack(from, stride, rows, elements, factors, to, toStride);
        }
    }
}
