package dev.stowage.reference.kernel;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Computes each row of the result from the row of the operand at the same place. The row is read before it is written,
 * so the result may share the memory of the operand; and it is written whole, so it may be of a quantised type.
 *
 * @param function gives the function of a row, which may change its argument and return it
 */
public record RowwiseKernel(Function<Step, UnaryOperator<double[]>> function) implements Kernel {

    /** Computes each element by a function of the element at the same place. */
    public static RowwiseKernel ofEach(DoubleUnaryOperator function) {
        return ofEachGiven(_ -> function);
    }

    /** Computes each element by a function of the element at the same place, which depends on the parameters. */
    public static RowwiseKernel ofEachGiven(Function<Step, DoubleUnaryOperator> function) {
        return new RowwiseKernel(step -> {
            DoubleUnaryOperator ofOne = function.apply(step);
            return row -> Arrays.stream(row).map(ofOne).toArray();
        });
    }

    @Override
    public void compute(Step step) {
        UnaryOperator<double[]> ofRow = function.apply(step);
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        Elements.forEachRow(result.shape(), (i1, i2, i3) -> result.setRow(i1, i2, i3, ofRow.apply(a.row(i1, i2, i3))));
    }

    @Override
    public OpSupport supports(Tensor node) {
        return DoubleArithmeticKernel.hasLongs(node)
                ? OpSupport.no(DoubleArithmeticKernel.reason(node))
                : OpSupport.yes();
    }
}
