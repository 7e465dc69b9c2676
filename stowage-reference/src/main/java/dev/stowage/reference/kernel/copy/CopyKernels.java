package dev.stowage.reference.kernel.copy;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import java.util.Map;

/**
 * Elements put into other places. Where the type stays the same so do the bits: blocks are copied as they are, a
 * quantised block like a plain element. Ops that write into a part of a tensor are in {@link RegionKernel}.
 */
public final class CopyKernels {

    private CopyKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.DUP, CopyKernels::copy);
        kernels.put(Op.CPY, CopyKernels::copy);
        kernels.put(Op.CONT, CopyKernels::copy);
        kernels.put(Op.REPEAT, CopyKernels::repeat);
        kernels.put(Op.CONCAT, CopyKernels::concat);
        kernels.put(Op.SET, new RegionKernel(false));
        kernels.put(Op.ACC, new RegionKernel(true));
    }

    /** Element by element in order, the first dimension running fastest, so that the shapes may differ. */
    private static void copy(Step step) {
        Elements from = Elements.of(step.operand(0));
        Elements to = Elements.of(step.result());
        if (from.type() == to.type()) {
            long blocks = to.blocks().elements();
            for (long n = 0; n < blocks; n++) {
                to.blockInOrder(n).copyFrom(from.blockInOrder(n));
            }
        } else if (from.type().isInteger() && to.type().isInteger()) {
            castWhole(from, to);
        } else {
            cast(from, to);
        }
    }

    private static void castWhole(Elements from, Elements to) {
        Shape shape = to.shape();
        Elements.forEach(
                shape,
                (i0, i1, i2, i3) -> to.setLong(i0, i1, i2, i3, from.getLongInOrder(firstOf(shape, i1, i2, i3) + i0)));
    }

    private static void cast(Elements from, Elements to) {
        Shape shape = to.shape();
        Elements.forEachRow(shape, (i1, i2, i3) -> {
            long first = firstOf(shape, i1, i2, i3);
            double[] row = new double[Math.toIntExact(shape.d0())];
            for (int i0 = 0; i0 < row.length; i0++) {
                row[i0] = from.getInOrder(first + i0);
            }
            to.setRow(i1, i2, i3, row);
        });
    }

    /** How many elements come before a row. */
    private static long firstOf(Shape shape, long i1, long i2, long i3) {
        return ((i3 * shape.d2() + i2) * shape.d1() + i1) * shape.d0();
    }

    private static void repeat(Step step) {
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        Shape own = a.blocks();
        Elements.forEach(
                result.blocks(),
                (k0, i1, i2, i3) -> result.block(k0, i1, i2, i3)
                        .copyFrom(a.block(k0 % own.d0(), i1 % own.d1(), i2 % own.d2(), i3 % own.d3())));
    }

    /** The first operand at the start of the result, the second after it along the dimension. */
    private static void concat(Step step) {
        int dimension = Parameters.of(step, OpParameters.Concat.class).dimension();
        Elements a = Elements.of(step.operand(0));
        Elements b = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        Shape offset = new Shape(0, 0, 0, 0).with(dimension, a.blocks().dim(dimension));
        Elements.forEach(
                a.blocks(), (k0, i1, i2, i3) -> result.block(k0, i1, i2, i3).copyFrom(a.block(k0, i1, i2, i3)));
        Elements.forEach(
                b.blocks(),
                (k0, i1, i2, i3) -> result.block(k0 + offset.d0(), i1 + offset.d1(), i2 + offset.d2(), i3 + offset.d3())
                        .copyFrom(b.block(k0, i1, i2, i3)));
    }
}
