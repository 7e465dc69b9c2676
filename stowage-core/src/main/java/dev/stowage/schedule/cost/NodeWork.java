package dev.stowage.schedule.cost;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;

/**
 * The work of a node, independent of the device. Only what an op touches counts: the rows that are looked up instead of
 * the table, the experts that may be in use instead of all.
 *
 * @param flops multiplications and additions
 * @param bytes bytes read and written
 */
public record NodeWork(double flops, double bytes) {

    public static NodeWork of(Tensor node) {
        return isWhole(node)
                ? new NodeWork(countFlops(node), countBytes(node))
                : new NodeWork(elements(node), bytes(node) + read(node));
    }

    /** Whether a node has the operands that are counted below; graphs made only for planning may lack them. */
    private static boolean isWhole(Tensor node) {
        int needed = switch (WorkKind.of(node.op())) {
            case MATRIX -> node.op() == Op.MUL_MAT_ID ? 3 : 2;
            case ATTENTION, ROWS -> 2;
            default -> node.op() == Op.CPY ? 1 : 0;
        };
        boolean whole = node.sourceCount() >= needed;
        for (int slot = 0; whole && slot < needed; slot++) {
            whole = node.hasSource(slot);
        }
        return whole;
    }

    private static double countFlops(Tensor node) {
        double results = elements(node);
        return switch (node.op()) {
            case MUL_MAT, MUL_MAT_ID -> 2 * results * node.source(0).dim(0);
            case OUT_PROD -> 2 * results * node.source(0).dim(1);
            case SOLVE_TRI -> results * node.source(0).dim(0);
            case CONV_2D, CONV_2D_DW -> 2 * results * perKernel(node.source(0), 3);
            case CONV_3D -> 2 * results * perKernel(node.source(0), 3) * channels(node);
            case CONV_TRANSPOSE_1D -> 2 * elements(node.source(1)) * perKernel(node.source(0), 2);
            case CONV_TRANSPOSE_2D -> 2 * elements(node.source(1)) * perKernel(node.source(0), 3);
            case FLASH_ATTN_EXT ->
                2 * (elements(node.source(0)) + results) * node.source(1).dim(1);
            default -> Math.max(results, node.sourceCount() > 0 && node.hasSource(0) ? elements(node.source(0)) : 0);
        };
    }

    private static double perKernel(Tensor kernel, int kernels) {
        return elements(kernel) / kernel.dim(kernels);
    }

    /** The last dimension of a 3D kernel has the channels of all results in a row. */
    private static double channels(Tensor node) {
        return node.parameters() instanceof OpParameters.Conv3d convolution ? convolution.channels() : 1;
    }

    private static double countBytes(Tensor node) {
        double written = bytes(node);
        return switch (node.op()) {
            case GET_ROWS -> 2 * written + bytes(node.source(1));
            case SET_ROWS -> bytes(node.source(0)) + bytes(node.source(1)) + writtenRows(node);
            case CPY -> bytes(node.source(0)) + written;
            case MUL_MAT_ID ->
                bytes(node.source(0)) * share(node) + bytes(node.source(1)) + bytes(node.source(2)) + written;
            default -> written + read(node);
        };
    }

    private static double read(Tensor node) {
        double sum = 0;
        for (int slot = 0; slot < node.sourceCount(); slot++) {
            if (node.hasSource(slot)) {
                sum += bytes(node.source(slot));
            }
        }
        return sum;
    }

    /** As many elements as the source has, in the type of the destination. */
    private static double writtenRows(Tensor node) {
        double whole = elements(node);
        return whole == 0 ? 0 : bytes(node) * Math.min(1, elements(node.source(0)) / whole);
    }

    /** The largest share of experts that can be in use. */
    private static double share(Tensor node) {
        double experts = node.source(0).dim(2);
        return experts == 0 ? 0 : Math.min(1, elements(node.source(2)) / experts);
    }

    private static double elements(Tensor tensor) {
        return tensor.shape().elements();
    }

    /** The bytes of the elements, without gaps between strides. */
    private static double bytes(Tensor tensor) {
        return elements(tensor) / tensor.type().blockSize() * tensor.type().bytesPerBlock();
    }
}
