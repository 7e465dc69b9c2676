package dev.stowage.cuda.op.norm;

import dev.stowage.cuda.op.Memory;
import dev.stowage.cuda.op.RowGrid;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import java.util.Arrays;

/**
 * RMS_NORM fused with the multiplication after it, and with the addition before it. All operands are f32; the weight
 * has rows as long as those of the norm and repeats over all others.
 *
 * <p>Memory that a plan uses twice, because the operands of one node are not needed by the next, must not be written
 * while another row still has to be read: results are apart from the operands, or stored exactly over them.
 */
final class FusedRmsNorm {

    private FusedRmsNorm() {}

    static boolean canFuse(Step norm, Step mul) {
        return norm.op() == Op.RMS_NORM
                && mul.op() == Op.MUL
                && isWeighted(norm, mul)
                && isTerm(norm.operand(0), mul.result())
                && hasFewRows(mul);
    }

    static boolean canFuse(Step add, Step norm, Step mul) {
        BoundTensor sum = add.result();
        return add.op() == Op.ADD
                && norm.op() == Op.RMS_NORM
                && mul.op() == Op.MUL
                && Memory.isSame(norm.operand(0), sum)
                && isWeighted(norm, mul)
                && isSummand(add.operand(0), add, mul)
                && isSummand(add.operand(1), add, mul)
                && isTerm(sum, mul.result())
                && Memory.areApart(sum, mul.result())
                && Memory.areApart(weight(norm, mul), sum)
                && hasFewRows(mul);
    }

    private static boolean isSummand(BoundTensor summand, Step add, Step mul) {
        return isTerm(summand, add.result()) && isTerm(summand, mul.result());
    }

    /** Whether an operand has a row for each of the result's, which may be written once that row has been read. */
    private static boolean isTerm(BoundTensor term, BoundTensor result) {
        return term.type() == ElementType.F32
                && result.type() == ElementType.F32
                && term.shape().equals(result.shape())
                && Memory.canStream(term, result);
    }

    private static boolean isWeighted(Step norm, Step mul) {
        if (!Memory.isSame(mul.operand(0), norm.result()) && !Memory.isSame(mul.operand(1), norm.result())) {
            return false;
        }
        BoundTensor weight = weight(norm, mul);
        BoundTensor result = mul.result();
        return weight.type() == ElementType.F32
                && weight.dim(0) == result.dim(0)
                && weight.shape().repeatsInto(result.shape())
                && norm.result().shape().equals(result.shape())
                && Memory.areApart(weight, norm.result())
                && Memory.areApart(weight, result);
    }

    /** The factor that is not the result of the norm. */
    private static BoundTensor weight(Step norm, Step mul) {
        return mul.operand(Memory.isSame(mul.operand(0), norm.result()) ? 1 : 0);
    }

    private static boolean hasFewRows(Step mul) {
        return mul.result().shape().rows() < Integer.MAX_VALUE;
    }

    static void launch(Step norm, Step mul, LaunchSink out) {
        BoundTensor weight = weight(norm, mul);
        Launch launch = begin("rms_norm_mul_f32", out, norm.operand(0), weight, mul.result());
        out.add(launch.view(norm.operand(0))
                .view(weight)
                .view(mul.result())
                .f32(RowNormKernel.epsilon(norm))
                .i32(Memory.isConstant(weight) ? 1 : 0)
                .dependent());
    }

    static void launch(Step add, Step norm, Step mul, LaunchSink out) {
        BoundTensor weight = weight(norm, mul);
        BoundTensor a = add.operand(0);
        BoundTensor b = add.operand(1);
        Launch launch = begin("add_rms_norm_mul_f32", out, a, b, add.result(), weight, mul.result());
        out.add(launch.view(a)
                .view(b)
                .view(add.result())
                .view(weight)
                .view(mul.result())
                .f32(RowNormKernel.epsilon(norm))
                .i32(Memory.isConstant(weight) ? 1 : 0)
                .dependent());
    }

    /** The kernel for operands of that alignment, with a grid for the rows of the last of them. */
    private static Launch begin(String kernel, LaunchSink out, BoundTensor... operands) {
        boolean isVector = Arrays.stream(operands).allMatch(Memory::hasVectorRows);
        BoundTensor result = operands[operands.length - 1];
        long steps = result.dim(0) / (isVector ? RowNormKernel.VECTOR : 1);
        return RowGrid.of(result.shape().rows(), steps, RowNormKernel.MOST_THREADS, out.gpu())
                .applyTo(Launch.of(isVector ? kernel + "x4" : kernel));
    }
}
