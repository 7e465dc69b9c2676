package dev.stowage.graph;

import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.function.Supplier;

/** Views: the same bytes with another shape. Nothing runs for them. */
sealed interface ShapeOps extends OpFamily permits GraphBuilder, ConvolutionOps, RowOps {

    /** The elements of {@code a}, which must be without gaps, in another shape of as many elements. */
    default Tensor reshape(Tensor a, long... dimensions) {
        OpCall call = OpCall.of(this, Op.RESHAPE, a);
        return reshaped(call, a, call.shape(dimensions));
    }

    /** The elements of {@code a}, which must be without gaps, in the shape of {@code model}. */
    default Tensor reshape(Tensor a, Tensor model) {
        return reshaped(OpCall.of(this, Op.RESHAPE, a), a, model.shape());
    }

    private static Tensor reshaped(OpCall call, Tensor a, Shape shape) {
        call.require(a.layout().isContiguous(), "the operand must be without gaps");
        if (shape.elements() != a.shape().elements()) {
            throw call.refusal("its " + a.shape().elements() + " elements do not fill the shape " + shape);
        }
        return call.resultOver(a, call.checked(() -> Layout.contiguous(a.type(), shape)), 0, "reshaped");
    }

    /** {@code d0} elements of {@code a} from byte {@code offset} on. */
    default Tensor view1d(Tensor a, long d0, long offset) {
        return view(a, offset, () -> Layout.contiguous(a.type(), d0));
    }

    /** {@code d1} rows of {@code d0} elements of {@code a} from byte {@code offset} on, {@code stride1} bytes apart. */
    default Tensor view2d(Tensor a, long d0, long d1, long stride1, long offset) {
        return view(a, offset, () -> {
            long stride2 = Math.multiplyExact(stride1, d1);
            return strided(a, new Shape(d0, d1, 1, 1), stride1, stride2, stride2);
        });
    }

    /** As {@link #view2d}, {@code d2} times with {@code stride2} bytes between them. */
    default Tensor view3d(Tensor a, long d0, long d1, long d2, long stride1, long stride2, long offset) {
        return view(
                a,
                offset,
                () -> strided(a, new Shape(d0, d1, d2, 1), stride1, stride2, Math.multiplyExact(stride2, d2)));
    }

    /** As {@link #view3d}, {@code d3} times with {@code stride3} bytes between them. */
    default Tensor view4d(
            Tensor a, long d0, long d1, long d2, long d3, long stride1, long stride2, long stride3, long offset) {
        return view(a, offset, () -> strided(a, new Shape(d0, d1, d2, d3), stride1, stride2, stride3));
    }

    private Tensor view(Tensor a, long offset, Supplier<Layout> layout) {
        OpCall call = OpCall.of(this, Op.VIEW, new OpParameters.View(offset), a);
        return call.resultOver(a, call.checked(layout), offset, "view");
    }

    private static Layout strided(Tensor a, Shape shape, long stride1, long stride2, long stride3) {
        return Layout.strided(a.type(), shape, new Strides(a.type().bytesPerBlock(), stride1, stride2, stride3));
    }

    /**
     * {@code a} with its dimensions in another order: dimension 0 of {@code a} becomes dimension {@code axis0} of the
     * result, dimension 1 {@code axis1}, and so on.
     */
    default Tensor permute(Tensor a, int axis0, int axis1, int axis2, int axis3) {
        int[] axes = {axis0, axis1, axis2, axis3};
        OpCall call = OpCall.of(this, Op.PERMUTE, new OpParameters.Permute(axis0, axis1, axis2, axis3), a)
                .require(
                        Arrays.equals(Arrays.stream(axes).sorted().toArray(), new int[] {0, 1, 2, 3}),
                        "the axes must be 0, 1, 2 and 3 in some order");
        long[] dimensions = new long[Shape.RANK];
        long[] strides = new long[Shape.RANK];
        for (int i = 0; i < Shape.RANK; i++) {
            dimensions[axes[i]] = a.dim(i);
            strides[axes[i]] = a.stride(i);
        }
        Strides permuted = new Strides(strides[0], strides[1], strides[2], strides[3]);
        Layout layout = call.checked(() -> Layout.strided(a.type(), Shape.of(dimensions), permuted));
        return call.resultOver(a, layout, 0, "permuted");
    }

    /** {@code a} with rows and columns exchanged: dimensions 0 and 1. */
    default Tensor transpose(Tensor a) {
        OpCall call = OpCall.of(this, Op.TRANSPOSE, a);
        Shape shape = new Shape(a.dim(1), a.dim(0), a.dim(2), a.dim(3));
        Strides strides = new Strides(a.stride(1), a.stride(0), a.stride(2), a.stride(3));
        return call.resultOver(a, call.checked(() -> Layout.strided(a.type(), shape, strides)), 0, "transposed");
    }
}
