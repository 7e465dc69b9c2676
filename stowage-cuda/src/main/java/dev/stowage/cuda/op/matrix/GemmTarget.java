package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.kernel.ParameterType;
import dev.stowage.cuda.program.Launch;

/**
 * Where the result of a product of {@link Gemm} is stored, and what is added to it.
 *
 * @param address of the first f32
 * @param stride floats from a row to the next
 * @param addend the address of f32 numbers that are added, which may be those of the result; 0 for none
 * @param addendStride floats from a row of the addend to the next; 0 where one row is added to all, as a bias is
 */
public record GemmTarget(long address, long stride, long addend, long addendStride) {

    /** A result to which nothing is added. */
    public static GemmTarget of(long address, long stride) {
        return new GemmTarget(address, stride, 0, 0);
    }

    /** The product of some rows of weights, the first of which is row {@code first} of the matrix. */
    GemmOperands operands(HalfMatrix weights, HalfMatrix tokens, long first) {
        GemmOperands operands = GemmOperands.of(weights, tokens, pointer(address + first * Float.BYTES), stride);
        return addend == 0 ? operands : operands.plus(pointer(addend + first * Float.BYTES), addendStride);
    }

    private static Launch.Argument pointer(long address) {
        return new Launch.Scalar(ParameterType.POINTER, address);
    }
}
