package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.kernel.ParameterType;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;

/**
 * The second factor of products in the form in which it meets weights, in scratch memory: {@linkplain DotRounding
 * rounded}, as f16 or bf16 for tensor cores or as floats, rows without gaps. Rows of a tensor are converted once for all
 * products of a program that read them in the same form.
 */
final class TokenRows {

    private static final int THREADS = 256;
    private static final Launch.Argument NO_PAIRS = new Launch.Scalar(ParameterType.POINTER, 0);

    private TokenRows() {}

    /** What {@link dev.stowage.cuda.program.DerivedForms} knows halves of a tensor by. */
    private record Halves(DotRounding rounding) {}

    /** What it knows rounded floats of a tensor by. */
    private record Floats(DotRounding rounding) {}

    /** All rows of a tensor, counted over dimensions 1 to 3, for tensor cores. */
    static HalfMatrix halves(LaunchSink out, BoundTensor rows, ElementType weights) {
        DotRounding rounding = DotRounding.of(weights);
        return out.derived().get(rows, new Halves(rounding), () -> halves(out, Operand.of(rows), weights));
    }

    /** All rows of an operand that is a part of a tensor. */
    static HalfMatrix halves(LaunchSink out, Operand rows, ElementType weights) {
        DotRounding rounding = DotRounding.of(weights);
        if (!rounding.isBlocks()) {
            return Narrowing.all(out, rows, HalfType.of(weights));
        }
        long count = rows.layout().shape().rows();
        HalfMatrix target = HalfMatrix.allocate(out, count, rows.dim(0), HalfType.F16);
        out.add(round("round_half_", rounding, rows, NO_PAIRS, 1, target.rows(), target.base()));
        return target;
    }

    /** The rows of the second factor of a MUL_MAT_ID in the order of grouped pairs, for tensor cores. */
    static HalfMatrix gathered(LaunchSink out, Operand b, Gemm.GroupedPairs grouped, ElementType weights) {
        DotRounding rounding = DotRounding.of(weights);
        if (!rounding.isBlocks()) {
            return Narrowing.gathered(out, b, grouped, HalfType.of(weights));
        }
        HalfMatrix target = HalfMatrix.allocate(out, grouped.count(), b.dim(0), HalfType.F16);
        Launch.Argument pairs = new Launch.ScratchPointer(grouped.pairs(), 0);
        out.add(round("round_half_", rounding, b, pairs, grouped.used(), target.rows(), target.base()));
        return target;
    }

    /**
     * Memory for the halves of a tensor that a launch writes before products read them, in place of the tensor.
     *
     * @param rows a tensor whose forms {@linkplain dev.stowage.cuda.program.DerivedForms#canKeep can be kept}
     */
    static HalfMatrix provided(LaunchSink out, BoundTensor rows, DotRounding rounding) {
        HalfMatrix target = HalfMatrix.allocate(out, rows.shape().rows(), rows.dim(0), rounding.halfType());
        out.derived().put(rows, new Halves(rounding), target);
        return target;
    }

    /** All rows of a tensor as floats, for weights in blocks. */
    static Scratch floats(LaunchSink out, BoundTensor rows, ElementType weights) {
        DotRounding rounding = DotRounding.of(weights);
        return out.derived().get(rows, new Floats(rounding), () -> {
            long count = rows.shape().rows();
            Scratch target = out.scratch(Math.multiplyExact(count, rows.dim(0) * Float.BYTES));
            Launch.Argument base = new Launch.ScratchPointer(target, 0);
            out.add(round("round_float_", rounding, Operand.of(rows), NO_PAIRS, 1, count, base));
            return target;
        });
    }

    private static Launch round(
            String kernel,
            DotRounding rounding,
            Operand rows,
            Launch.Argument pairs,
            long used,
            long count,
            Launch.Argument target) {
        long units = Math.multiplyExact(count, rows.dim(0) / Narrowing.ELEMENTS);
        return Launch.of(kernel + rounding.block())
                .grid(Math.ceilDiv(units, THREADS))
                .block(THREADS)
                .dependent()
                .argument(rows.view())
                .i32(rows.type().code())
                .argument(pairs)
                .i32(used)
                .i32(count)
                .argument(target)
                .i32(rows.dim(0));
    }
}
