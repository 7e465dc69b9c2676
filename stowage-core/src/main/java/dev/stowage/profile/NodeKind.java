package dev.stowage.profile;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.UnaryFunction;
import java.util.List;
import java.util.StringJoiner;

/**
 * How a profile classifies nodes: by op, or by function where the op has several, and by the type that its speed
 * depends on most. Allocation-free.
 */
final class NodeKind {

    private NodeKind() {}

    /** Whether a node has something to run, so that its op is shown. */
    static boolean isWork(Tensor node) {
        return node.op() != Op.NONE && !node.op().isViewOp();
    }

    /** The op of a node, or its function if the op has several. */
    static Enum<?> function(Tensor node) {
        return switch (node.parameters()) {
            case OpParameters.Unary unary -> unary.function();
            case OpParameters.Xielu _ -> UnaryFunction.XIELU;
            case OpParameters.Glu glu -> glu.function();
            case OpParameters.SwigluOai _ -> GluFunction.SWIGLU_OAI;
            default -> node.op();
        };
    }

    /** The type of the weights or of the cache, where an op reads such; else of the result. */
    static ElementType type(Tensor node) {
        int slot = switch (node.op()) {
            case MUL_MAT,
                    MUL_MAT_ID,
                    OUT_PROD,
                    GET_ROWS,
                    CONV_2D,
                    CONV_3D,
                    CONV_2D_DW,
                    CONV_TRANSPOSE_1D,
                    CONV_TRANSPOSE_2D -> 0;
            case FLASH_ATTN_EXT -> 1;
            default -> -1;
        };
        return node.hasSource(slot) ? node.source(slot).type() : node.type();
    }

    /** The name of nodes that were computed together, without the views among them: {@code RMS_NORM+MUL}. */
    static String label(List<Tensor> nodes) {
        StringJoiner label = new StringJoiner("+");
        for (Tensor node : nodes) {
            if (isWork(node)) {
                label.add(label(function(node), type(node)));
            }
        }
        return label.toString();
    }

    /** The name of a node with that function and type: {@code MUL_MAT q4_0}. */
    static String label(Enum<?> function, Enum<?> type) {
        return type == ElementType.F32 && !isTyped(function) ? function.name() : function.name() + " " + type;
    }

    /** Whether the type is always shown; for other ops it is shown only if it is not the usual one. */
    private static boolean isTyped(Enum<?> function) {
        return switch (function) {
            case Op op ->
                switch (op) {
                    case MUL_MAT, MUL_MAT_ID, OUT_PROD, GET_ROWS, SET_ROWS, CPY, FLASH_ATTN_EXT -> true;
                    default -> false;
                };
            default -> false;
        };
    }
}
