package dev.stowage.graph;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import dev.stowage.tensor.Tensor;

/** Copies: dup, cast, concat, repeat, and writing into a region of a tensor. */
sealed interface CopyOps extends OpFamily permits GraphBuilder, ConvolutionOps {

    /** A copy of {@code a} without gaps. */
    default Tensor dup(Tensor a) {
        return OpCall.of(this, Op.DUP, a).resultLike(a);
    }

    /** {@link #dup} onto {@code a} itself. */
    default Tensor dupInplace(Tensor a) {
        return OpCall.of(this, Op.DUP, a).resultOver(a);
    }

    /** Writes the elements of {@code a} over those of {@code target}, which has as many; the result is its view. */
    default Tensor cpy(Tensor a, Tensor target) {
        Tensor result = OpCall.of(this, Op.CPY, a, target)
                .require(
                        a.shape().elements() == target.shape().elements(),
                        "the target must have as many elements as what is copied")
                .resultOver(target, target.layout(), 0, a.name().isEmpty() ? "copy" : "copy of " + a.name());
        return target.name().isEmpty() ? result.named(OpCall.derivedName(a, "copy")) : result;
    }

    /** The elements of {@code a} as {@code type}, without gaps. As in ggml the result is its own second operand. */
    default Tensor cast(Tensor a, ElementType type) {
        return OpCall.of(this, Op.CPY, a).resultOntoItself(type, a.shape(), OpCall.derivedName(a, "copy"));
    }

    /** A copy of {@code a} without gaps. */
    default Tensor cont(Tensor a) {
        return OpCall.of(this, Op.CONT, a).result(a.type(), a.shape(), OpCall.derivedName(a, "cont"));
    }

    /** A copy of {@code a} without gaps, in another shape of as many elements. */
    default Tensor cont(Tensor a, long... dimensions) {
        OpCall call = OpCall.of(this, Op.CONT, a);
        Shape shape = call.shape(dimensions);
        if (shape.elements() != a.shape().elements()) {
            throw call.refusal("its " + a.shape().elements() + " elements do not fill the shape " + shape);
        }
        return call.result(a.type(), shape, OpCall.derivedName(a, "cont"));
    }

    /** {@code a} and then {@code b} along {@code dimension}; type and all other dimensions are the same. */
    default Tensor concat(Tensor a, Tensor b, int dimension) {
        OpCall call = OpCall.of(this, Op.CONCAT, new OpParameters.Concat(dimension), a, b)
                .require(dimension >= 0 && dimension < Shape.RANK, "the dimension must be 0, 1, 2 or 3")
                .require(a.type() == b.type(), "both must have the same type");
        long together = call.sum(a.dim(dimension), b.dim(dimension));
        return call.require(
                        a.shape().with(dimension, 0).equals(b.shape().with(dimension, 0)),
                        "both must have the same size in all other dimensions")
                .result(a.type(), call.checked(() -> a.shape().with(dimension, together)));
    }

    /** {@code a} as often in each dimension as it takes to get the shape of {@code model}. */
    default Tensor repeat(Tensor a, Tensor model) {
        return repeated(OpCall.of(this, Op.REPEAT, a), a, model.shape());
    }

    /** {@code a} as often in each dimension as it takes to get that shape. */
    default Tensor repeat(Tensor a, long... dimensions) {
        OpCall call = OpCall.of(this, Op.REPEAT, a);
        return repeated(call, a, call.shape(dimensions));
    }

    private static Tensor repeated(OpCall call, Tensor a, Shape shape) {
        if (!a.shape().repeatsInto(shape)) {
            throw call.refusal("it does not repeat a whole number of times into the shape " + shape);
        }
        return call.result(a.type(), shape);
    }

    /**
     * {@code a} with {@code b} in place of a region of it, which begins at byte {@code offset} and has
     * these byte strides; both have the same type.
     */
    default Tensor set(Tensor a, Tensor b, long stride1, long stride2, long stride3, long offset) {
        return put(Op.SET, a, b, new OpParameters.Region(stride1, stride2, stride3, offset, false));
    }

    /** {@link #set} in the bytes of {@code a}. */
    default Tensor setInplace(Tensor a, Tensor b, long stride1, long stride2, long stride3, long offset) {
        return put(Op.SET, a, b, new OpParameters.Region(stride1, stride2, stride3, offset, true));
    }

    /** {@link #set} with the strides of {@code a}. */
    default Tensor set1d(Tensor a, Tensor b, long offset) {
        return set(a, b, a.stride(1), a.stride(2), a.stride(3), offset);
    }

    /** {@link #set1d} in the bytes of {@code a}. */
    default Tensor set1dInplace(Tensor a, Tensor b, long offset) {
        return setInplace(a, b, a.stride(1), a.stride(2), a.stride(3), offset);
    }

    /** {@link #set} with the strides of {@code a} but the first. */
    default Tensor set2d(Tensor a, Tensor b, long stride1, long offset) {
        return set(a, b, stride1, a.stride(2), a.stride(3), offset);
    }

    /** {@link #set2d} in the bytes of {@code a}. */
    default Tensor set2dInplace(Tensor a, Tensor b, long stride1, long offset) {
        return setInplace(a, b, stride1, a.stride(2), a.stride(3), offset);
    }

    /** {@code a} with {@code b} added to a region of it, described as in {@link #set}; both are f32. */
    default Tensor acc(Tensor a, Tensor b, long stride1, long stride2, long stride3, long offset) {
        return put(Op.ACC, a, b, new OpParameters.Region(stride1, stride2, stride3, offset, false));
    }

    /** {@link #acc} in the bytes of {@code a}. */
    default Tensor accInplace(Tensor a, Tensor b, long stride1, long stride2, long stride3, long offset) {
        return put(Op.ACC, a, b, new OpParameters.Region(stride1, stride2, stride3, offset, true));
    }

    private Tensor put(Op op, Tensor a, Tensor b, OpParameters.Region region) {
        OpCall call = OpCall.of(this, op, region, a, b)
                .require(b.shape().elements() <= a.shape().elements(), "the second must not have more elements")
                .require(a.type() == b.type(), "both must have the same type");
        if (op == Op.ACC) {
            call.require(a.layout().isContiguous(), "the first must be without gaps")
                    .require(a.type() == ElementType.F32, "both must be f32");
        }
        Layout layout = call.checked(() -> Layout.strided(
                b.type(),
                b.shape(),
                new Strides(b.type().bytesPerBlock(), region.stride1(), region.stride2(), region.stride3())));
        return call.require(
                        region.offset() >= 0 && region.offset() <= a.byteSize() - layout.byteSize(),
                        "the region must be within the first")
                .result(a, region.inPlace());
    }
}
