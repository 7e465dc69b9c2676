package dev.stowage.reference.kernel.elementwise;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.reference.kernel.DoubleArithmeticKernel;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;

/**
 * {@code f(a, b)} with the second operand repeated over the shape of the first. Where all types are those of whole
 * numbers so is the arithmetic, and wraps around as theirs does; otherwise it is done in doubles. Each row is read
 * before it is written, so the result may share the memory of either operand.
 *
 * @param ofNumbers the function of floating-point numbers
 * @param ofWholeNumbers the function of whole numbers
 */
record BinaryKernel(DoubleBinaryOperator ofNumbers, LongBinaryOperator ofWholeNumbers) implements Kernel {

    @Override
    public void compute(Step step) {
        Elements a = Elements.of(step.operand(0));
        Elements b = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        if (areWhole(a.type(), b.type(), result.type())) {
            Elements.forEach(result.shape(), (i0, i1, i2, i3) -> {
                long whole = ofWholeNumbers.applyAsLong(a.getLong(i0, i1, i2, i3), b.getLongRepeated(i0, i1, i2, i3));
                result.setLong(i0, i1, i2, i3, whole);
            });
            return;
        }
        Elements.forEachRow(result.shape(), (i1, i2, i3) -> {
            double[] row = a.row(i1, i2, i3);
            for (int i0 = 0; i0 < row.length; i0++) {
                row[i0] = ofNumbers.applyAsDouble(row[i0], b.getRepeated(i0, i1, i2, i3));
            }
            result.setRow(i1, i2, i3, row);
        });
    }

    @Override
    public OpSupport supports(Tensor node) {
        boolean exact =
                areWhole(node.type(), node.source(0).type(), node.source(1).type());
        return exact || !DoubleArithmeticKernel.hasLongs(node)
                ? OpSupport.yes()
                : OpSupport.no(DoubleArithmeticKernel.reason(node));
    }

    private static boolean areWhole(ElementType first, ElementType second, ElementType third) {
        return first.isInteger() && second.isInteger() && third.isInteger();
    }
}
