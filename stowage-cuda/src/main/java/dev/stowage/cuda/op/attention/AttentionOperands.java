package dev.stowage.cuda.op.attention;

import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.cuda.program.Launch;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import org.jspecify.annotations.Nullable;

/** The operands of one attention: queries, keys, values, mask and sinks, and the numbers kernels are chosen by. */
final class AttentionOperands {

    private static final Layout NO_MASK = Layout.contiguous(ElementType.F16, 1, 1, 1, 1);

    final BoundTensor q;
    final BoundTensor k;
    final BoundTensor v;
    final @Nullable BoundTensor mask;
    final @Nullable BoundTensor sinks;
    final BoundTensor result;
    final OpParameters.FlashAttention parameters;

    /** Elements of a key, and of a value. */
    final int keySize;

    final int valueSize;
    final int tokens;
    final int cells;
    final int heads;
    final int kvHeads;
    final int batches;

    AttentionOperands(Step step) {
        this.q = step.operand(0);
        this.k = step.operand(1);
        this.v = step.operand(2);
        this.mask = step.hasOperand(3) ? step.operand(3) : null;
        this.sinks = step.hasOperand(4) ? step.operand(4) : null;
        this.result = step.result();
        this.parameters = (OpParameters.FlashAttention) step.parameters();
        this.keySize = Math.toIntExact(k.dim(0));
        this.valueSize = Math.toIntExact(v.dim(0));
        this.tokens = Math.toIntExact(q.dim(1));
        this.cells = Math.toIntExact(k.dim(1));
        this.heads = Math.toIntExact(q.dim(2));
        this.kvHeads = Math.toIntExact(k.dim(2));
        this.batches = Math.toIntExact(q.dim(3));
    }

    /** How many heads of queries read the same keys. */
    int headsPerKvHead() {
        return heads / kvHeads;
    }

    /** How many rows the result has. */
    long rows() {
        return (long) heads * tokens * batches;
    }

    /** Whether a mask says the same for all heads; so does no mask. */
    boolean hasSameMaskForHeads() {
        return mask == null || mask.dim(2) == 1;
    }

    /**
     * Whether this is what the kernels for tensor cores compute: keys and values of one type, of sizes that are
     * multiples of 8 and at most 256, with elements that follow each other.
     */
    boolean isForTensorCores() {
        return isStaged(k.type())
                && k.type() == v.type()
                && v.dim(2) == kvHeads
                && cells > 0
                && isPieces(keySize)
                && isPieces(valueSize)
                && q.layout().hasContiguousRows()
                && k.layout().hasContiguousRows()
                && v.layout().hasContiguousRows()
                && result.layout().isContiguous();
    }

    private static boolean isPieces(int size) {
        return size > 0 && size % 8 == 0 && size <= 256;
    }

    private static boolean isStaged(ElementType type) {
        return switch (type) {
            case F16, BF16, F32, Q8_0 -> true;
            default -> false;
        };
    }

    /** The head size that kernels are compiled for: 64, 128 or 256. */
    int compiledSize() {
        int size = Math.max(keySize, valueSize);
        return size <= 64 ? 64 : size <= 128 ? 128 : 256;
    }

    /** Whether all rows of a tensor begin at multiples of that many bytes. */
    static boolean isAligned(BoundTensor tensor, int bytes) {
        boolean isAligned = DeviceAddress.of(tensor) % bytes == 0;
        for (int d = 1; d < Shape.RANK; d++) {
            isAligned &= tensor.dim(d) == 1 || tensor.stride(d) % bytes == 0;
        }
        return isAligned;
    }

    /** Adds scale, bias and cap as the last arguments. */
    Launch withParameters(Launch launch) {
        return launch.f32(parameters.scale()).f32(parameters.maxBias()).f32(parameters.logitSoftcap());
    }

    Launch withMask(Launch launch) {
        return mask == null ? launch.argument(new Launch.ViewArgument(0, NO_MASK)) : launch.view(mask);
    }

    Launch withSinks(Launch launch) {
        return sinks == null ? launch.pointer(0) : launch.pointer(sinks);
    }
}
