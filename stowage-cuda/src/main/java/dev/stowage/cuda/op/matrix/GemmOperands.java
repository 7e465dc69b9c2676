package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.kernel.ParameterType;
import dev.stowage.cuda.program.Launch;

/**
 * What {@link Gemm} multiplies: {@code result[t, n] = sum over k of tokens[t, k] * weights[n, k] + addend[t, n]}.
 *
 * @param weights one row for each element of a row of the result
 * @param tokens one row for each row of the result
 * @param result the address of the first f32, aligned to 4 bytes
 * @param resultStride floats from a row of the result to the next
 * @param addend the address of f32 numbers that are added, which may be those of the result; a null pointer for none
 * @param addendStride floats from a row of the addend to the next; 0 where one row is added to all, as a bias is
 */
public record GemmOperands(
        HalfMatrix weights,
        HalfMatrix tokens,
        Launch.Argument result,
        long resultStride,
        Launch.Argument addend,
        long addendStride) {

    static final Launch.Argument NO_ADDEND = new Launch.Scalar(ParameterType.POINTER, 0);

    public GemmOperands {
        if (weights.depth() != tokens.depth() || weights.type() != tokens.type()) {
            throw new IllegalArgumentException("rows of " + weights.depth() + " " + weights.type()
                    + " cannot be multiplied with rows of " + tokens.depth() + " " + tokens.type());
        }
    }

    /** A product to which nothing is added. */
    public static GemmOperands of(HalfMatrix weights, HalfMatrix tokens, Launch.Argument result, long resultStride) {
        return new GemmOperands(weights, tokens, result, resultStride, NO_ADDEND, 0);
    }

    /** The same with numbers that are added to the result. */
    public GemmOperands plus(Launch.Argument newAddend, long newAddendStride) {
        return new GemmOperands(weights, tokens, result, resultStride, newAddend, newAddendStride);
    }
}
