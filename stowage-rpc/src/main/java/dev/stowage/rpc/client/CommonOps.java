package dev.stowage.rpc.client;

import dev.stowage.device.OpSupport;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.UnaryFunction;
import java.util.EnumSet;
import java.util.Set;

/**
 * The nodes that every backend of ggml computes: the ops of language models in their usual types. The protocol has no way
 * to ask a server, and llama.cpp's ends when its backend lacks an op. A device whose memory shows it to be a processor is
 * known to compute more: attention of any head, and caches of any type.
 */
final class CommonOps {

    private static final Set<ElementType> FLOATS = EnumSet.of(ElementType.F32, ElementType.F16);

    private static final Set<ElementType> WEIGHTS = EnumSet.of(
            ElementType.F32,
            ElementType.F16,
            ElementType.BF16,
            ElementType.Q4_0,
            ElementType.Q4_1,
            ElementType.Q5_0,
            ElementType.Q5_1,
            ElementType.Q8_0,
            ElementType.Q2_K,
            ElementType.Q3_K,
            ElementType.Q4_K,
            ElementType.Q5_K,
            ElementType.Q6_K);

    private static final Set<ElementType> GATHERED = EnumSet.of(
            ElementType.F32,
            ElementType.F16,
            ElementType.Q4_0,
            ElementType.Q4_1,
            ElementType.Q5_0,
            ElementType.Q5_1,
            ElementType.Q8_0);

    private static final Set<ElementType> CACHES = EnumSet.of(ElementType.F32, ElementType.F16, ElementType.Q8_0);

    private static final Set<UnaryFunction> FUNCTIONS = EnumSet.of(
            UnaryFunction.SILU,
            UnaryFunction.GELU,
            UnaryFunction.GELU_QUICK,
            UnaryFunction.GELU_ERF,
            UnaryFunction.RELU,
            UnaryFunction.SIGMOID,
            UnaryFunction.TANH,
            UnaryFunction.NEG,
            UnaryFunction.EXP);

    /** Keys and values that attention reads on processors. */
    private static final Set<ElementType> PROCESSOR_CACHES = EnumSet.of(
            ElementType.F16,
            ElementType.BF16,
            ElementType.Q4_0,
            ElementType.Q4_1,
            ElementType.Q5_0,
            ElementType.Q5_1,
            ElementType.Q8_0,
            ElementType.IQ4_NL);

    /** The lengths of a head that the attention of every backend has. */
    private static final Set<Long> HEADS = Set.of(64L, 128L);

    private CommonOps() {}

    static OpSupport supports(Tensor node) {
        return isCommon(node) ? OpSupport.yes() : OpSupport.no("not every server computes it");
    }

    /** As {@link #supports}, on a device that is a processor. */
    static OpSupport supportsOnProcessor(Tensor node) {
        return isCommon(node) || isOfProcessors(node)
                ? OpSupport.yes()
                : OpSupport.no("not every server computes it on its processor");
    }

    private static boolean isOfProcessors(Tensor node) {
        return switch (node.op()) {
            case SET_ROWS -> isF32(node.source(0)) && PROCESSOR_CACHES.contains(node.type());
            case FLASH_ATTN_EXT ->
                isF32(node.source(0))
                        && PROCESSOR_CACHES.contains(node.source(1).type())
                        && node.source(1).type() == node.source(2).type();
            default -> false;
        };
    }

    private static boolean isCommon(Tensor node) {
        return switch (node.op()) {
            case NONE, RESHAPE, VIEW, PERMUTE, TRANSPOSE -> true;
            case ADD, SUB, MUL, DIV ->
                areF32(node)
                        && node.source(1).shape().repeatsInto(node.source(0).shape());
            case SCALE, SQR, SQRT, CLAMP, SUM_ROWS, ARGSORT, SOFT_MAX, RMS_NORM, NORM ->
                isF32(node.source(0)) && hasRows(node.source(0));
            case MUL_MAT -> isProduct(node) && isF32(node.source(1));
            case MUL_MAT_ID ->
                isProduct(node) && isF32(node.source(1)) && node.source(0).type() != ElementType.BF16;
            case GET_ROWS -> GATHERED.contains(node.source(0).type());
            case SET_ROWS -> isF32(node.source(0)) && CACHES.contains(node.type());
            case CPY, DUP, CONT -> FLOATS.contains(node.source(0).type()) && FLOATS.contains(node.type());
            case REPEAT, CONCAT -> areF32(node);
            case ROPE ->
                isF32(node.source(0)) && node.parameters() instanceof OpParameters.Rope rope && rope.offset() == 0;
            case UNARY ->
                isF32(node.source(0))
                        && hasRows(node.source(0))
                        && node.parameters() instanceof OpParameters.Unary unary
                        && FUNCTIONS.contains(unary.function());
            case GLU -> areF32(node);
            case FLASH_ATTN_EXT -> isAttention(node);
            default -> false;
        };
    }

    private static boolean isF32(Tensor tensor) {
        return tensor.type() == ElementType.F32;
    }

    private static boolean hasRows(Tensor tensor) {
        return tensor.layout().hasContiguousRows();
    }

    private static boolean areF32(Tensor node) {
        for (int slot = 0; slot < node.sourceCount(); slot++) {
            if (node.hasSource(slot) && !(isF32(node.source(slot)) && hasRows(node.source(slot)))) {
                return false;
            }
        }
        return isF32(node);
    }

    private static boolean isProduct(Tensor node) {
        Tensor weights = node.source(0);
        return WEIGHTS.contains(weights.type()) && hasRows(weights) && hasRows(node.source(1));
    }

    private static boolean isAttention(Tensor node) {
        Tensor keys = node.source(1);
        return isF32(node.source(0))
                && keys.type() == ElementType.F16
                && node.source(2).type() == ElementType.F16
                && HEADS.contains(keys.dim(0))
                && keys.dim(0) == node.source(2).dim(0);
    }
}
