package dev.stowage.cuda.op.matrix;

import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import java.util.ArrayList;
import java.util.List;

/**
 * The factors and the result of a MUL_MAT: {@code result[m, n, i2, i3] = dot(a[.., m, i2 / r2, i3 / r3], b[.., n, i2,
 * i3])}, where {@code r2} and {@code r3} are how many matrices of {@code b} share one of {@code a}.
 */
record Product(Operand a, Operand b, Operand result) {

    /** The product a step computes, with as many columns and as few matrices as its strides allow. */
    static Product of(Step step) {
        return new Product(Operand.of(step.operand(0)), Operand.of(step.operand(1)), Operand.of(step.result()))
                .withSharedMatricesAsColumns();
    }

    /**
     * Where matrices of {@code b} share one of {@code a}, they become more columns of one matrix, so that {@code a} is
     * read once for all of them: the query heads of one key head, for instance.
     */
    private Product withSharedMatricesAsColumns() {
        long sharing = b.dim(2) / a.dim(2);
        boolean isOneRun = b.dim(1) == 1
                || (b.stride(2) == b.dim(1) * b.stride(1) && result.stride(2) == result.dim(1) * result.stride(1));
        return sharing > 1 && isOneRun ? new Product(a, merged(b, sharing), merged(result, sharing)) : this;
    }

    private static Operand merged(Operand operand, long sharing) {
        long columns = operand.dim(1) * sharing;
        long columnStride = operand.dim(1) == 1 ? operand.stride(2) : operand.stride(1);
        return operand.with(
                new Shape(operand.dim(0), columns, operand.dim(2) / sharing, operand.dim(3)),
                new Strides(operand.stride(0), columnStride, operand.stride(2) * sharing, operand.stride(3)));
    }

    /** The same as products of at most {@code most} matrices each, or of as many as share one of {@code a}. */
    List<Product> inPartsOf(long most) {
        long share2 = b.dim(2) / a.dim(2);
        long share3 = b.dim(3) / a.dim(3);
        if (matrices() <= most) {
            return List.of(this);
        }
        List<Product> parts = new ArrayList<>();
        long count = Math.max(1, most / share2) * share2;
        for (long i3 = 0; i3 < b.dim(3); i3++) {
            for (long i2 = 0; i2 < b.dim(2); i2 += count) {
                long here = Math.min(count, b.dim(2) - i2);
                parts.add(new Product(
                        part(a, i2 / share2, here / share2, i3 / share3),
                        part(b, i2, here, i3),
                        part(result, i2, here, i3)));
            }
        }
        return parts;
    }

    private static Operand part(Operand operand, long i2, long count, long i3) {
        return operand.from(i2 * operand.stride(2) + i3 * operand.stride(3))
                .with(
                        new Shape(operand.dim(0), operand.dim(1), count, 1),
                        operand.layout().strides());
    }

    /** The length of the rows that are multiplied. */
    long depth() {
        return a.dim(0);
    }

    /** How many rows {@code a} has, which is how long a row of the result is. */
    long rows() {
        return result.dim(0);
    }

    /** How many rows {@code b} has. */
    long columns() {
        return result.dim(1);
    }

    /** How many matrices the result has. */
    long matrices() {
        return result.dim(2) * result.dim(3);
    }

    boolean isF32() {
        return a.type() == ElementType.F32 && b.type() == ElementType.F32;
    }
}
