package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.program.Gpu;
import dev.stowage.device.OpSupport;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.util.Locale;

/** The types of rows that the kernels of products read, and what they ask of factors. */
final class RowTypes {

    /** Kernels count results, rows and the elements of a row by numbers of 32 bits. */
    private static final long MAX_RESULTS = Integer.MAX_VALUE;

    private RowTypes() {}

    /** The ending of the names of kernels that read rows of that type. */
    static String suffix(ElementType type) {
        return type.label().toLowerCase(Locale.ROOT);
    }

    /** Whether a type can be the first factor: plain floats and every type of quantised weights. */
    private static boolean isFirst(ElementType type) {
        return switch (type) {
            case Q8_1, Q8_K, F64 -> false;
            default -> !type.isInteger();
        };
    }

    /** Whether a type can be the second factor. */
    private static boolean isSecond(ElementType type) {
        return type == ElementType.F32 || type == ElementType.F16 || type == ElementType.BF16;
    }

    /** What the address of every row must be a multiple of. */
    private static int alignment(ElementType type) {
        return switch (type) {
            case F32, I32 -> 4;
            // Blocks of 17 bytes begin anywhere and are loaded byte by byte.
            case MXFP4 -> 1;
            default -> 2;
        };
    }

    /** Whether a kernel exists for a product with these factors in slots 0 and 1. */
    static OpSupport supports(Tensor node, Gpu gpu) {
        Tensor a = node.source(0);
        Tensor b = node.source(1);
        if (gpu.capability() < 80) {
            return OpSupport.no("products need compute capability 8.0");
        }
        if (!isFirst(a.type())) {
            return OpSupport.no("the first factor of " + node.op() + " is for floats and weights, not " + a.type());
        }
        if (!isSecond(b.type())) {
            return OpSupport.no("the second factor of " + node.op() + " is for f32, f16 and bf16, not " + b.type());
        }
        for (int slot = 0; slot < node.sourceCount(); slot++) {
            if (node.hasSource(slot) && !isAligned(node.source(slot))) {
                return OpSupport.no("the rows of " + node.source(slot).describe() + " are not aligned to elements");
            }
        }
        if (Math.max(node.shape().elements(), Math.max(a.dim(0), a.dim(1))) > MAX_RESULTS) {
            return OpSupport.no(node.op() + " computes at most " + MAX_RESULTS + " elements from as many");
        }
        return OpSupport.yes();
    }

    private static boolean isAligned(Tensor tensor) {
        long offsets = tensor.viewOffset();
        for (int i = 0; i < Shape.RANK; i++) {
            offsets |= tensor.stride(i);
        }
        return offsets % alignment(tensor.type()) == 0;
    }
}
