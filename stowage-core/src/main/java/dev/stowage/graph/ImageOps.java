package dev.stowage.graph;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.InterpolationMode;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.PoolKind;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;

/** Images and sequences: pooling, upscaling, padding, rolling, windows. */
sealed interface ImageOps extends OpFamily permits GraphBuilder {

    /** The largest or the mean of the elements under a window that slides along the rows, as f32. */
    default Tensor pool1d(Tensor a, PoolKind kind, int size, int stride, int padding) {
        OpCall call = OpCall.of(this, Op.POOL_1D, new OpParameters.Pool1d(kind, size, stride, padding), a);
        return call.result(
                ElementType.F32, pooled(call, a.dim(0), size, stride, padding), a.dim(1), a.dim(2), a.dim(3));
    }

    /**
     * The largest or the mean of the elements under a window that slides along rows and columns, as f32. Along each
     * there are {@code (elements + 2 * padding - size) / stride + 1} positions. Half paddings count for the number of
     * positions; the window itself starts at whole ones.
     */
    default Tensor pool2d(
            Tensor a, PoolKind kind, int size0, int size1, int stride0, int stride1, float padding0, float padding1) {
        OpCall call = OpCall.of(
                this,
                Op.POOL_2D,
                new OpParameters.Pool2d(kind, size0, size1, stride0, stride1, (int) padding0, (int) padding1),
                a);
        long columns = pooled(call, a.dim(0), size0, stride0, padding0);
        long rows = pooled(call, a.dim(1), size1, stride1, padding1);
        return call.result(ElementType.F32, columns, rows, a.dim(2), a.dim(3));
    }

    /** Computed in float like ggml, whose results it must match for half paddings and very long rows. */
    private static long pooled(OpCall call, long elements, int size, int stride, float padding) {
        call.require(size > 0 && stride > 0 && padding >= 0, "size and stride must be above 0, padding not below");
        long positions = (long) (((float) elements + 2 * padding - size) / stride + 1);
        call.require(positions > 0, "the window must fit into the padded operand");
        return positions;
    }

    /** An f32 image whose width and height are {@code factor} times those of {@code a}; the factor is above 1. */
    default Tensor upscale(Tensor a, int factor, InterpolationMode mode) {
        OpParameters.Interpolate parameters = new OpParameters.Interpolate(mode, false, false);
        OpCall call = OpCall.of(this, Op.UPSCALE, parameters, a);
        call.require(factor > 1, "the factor must be above 1");
        Shape shape = call.shape(call.product(a.dim(0), factor), call.product(a.dim(1), factor), a.dim(2), a.dim(3));
        return interpolated(call, a, shape, parameters);
    }

    /** An f32 image stretched or shrunk to that shape. */
    default Tensor interpolate(Tensor a, Shape shape, InterpolationMode mode) {
        return interpolate(a, shape, mode, false, false);
    }

    /**
     * {@link #interpolate(Tensor, Shape, InterpolationMode)}; either with the corner elements of both images in the
     * same place rather than their outer edges, or (bilinear only) smoothed where the image shrinks.
     */
    default Tensor interpolate(Tensor a, Shape shape, InterpolationMode mode, boolean alignCorners, boolean antialias) {
        OpParameters.Interpolate parameters = new OpParameters.Interpolate(mode, alignCorners, antialias);
        return interpolated(OpCall.of(this, Op.UPSCALE, parameters, a), a, shape, parameters);
    }

    private static Tensor interpolated(OpCall call, Tensor a, Shape shape, OpParameters.Interpolate parameters) {
        return call.require(
                        !parameters.antialias() || parameters.mode() == InterpolationMode.BILINEAR,
                        "only the bilinear mode can be smoothed")
                .require(a.type() == ElementType.F32, "the operand must be f32")
                .result(ElementType.F32, shape);
    }

    /** {@code a} padded with that many zeros at the end of each dimension. */
    default Tensor pad(Tensor a, int after0, int after1, int after2, int after3) {
        return padded(a, new OpParameters.Pad(0, after0, 0, after1, 0, after2, 0, after3, false));
    }

    /** {@code a} padded at the end of each dimension with that many elements from its beginning. */
    default Tensor padCircular(Tensor a, int after0, int after1, int after2, int after3) {
        return padded(a, new OpParameters.Pad(0, after0, 0, after1, 0, after2, 0, after3, true));
    }

    /** {@code a} with zeros, or elements from the other end, at both ends of each dimension. */
    default Tensor pad(Tensor a, OpParameters.Pad padding) {
        return padded(a, padding);
    }

    private Tensor padded(Tensor a, OpParameters.Pad p) {
        OpCall call = OpCall.of(this, Op.PAD, p, a)
                .require(
                        Math.min(Math.min(p.before0(), p.after0()), Math.min(p.before1(), p.after1())) >= 0
                                && Math.min(Math.min(p.before2(), p.after2()), Math.min(p.before3(), p.after3())) >= 0,
                        "no padding may be negative");
        return call.result(
                a.type(),
                call.sum(a.dim(0), p.before0(), p.after0()),
                call.sum(a.dim(1), p.before1(), p.after1()),
                call.sum(a.dim(2), p.before2(), p.after2()),
                call.sum(a.dim(3), p.before3(), p.after3()));
    }

    /** Rows of f32 with elements mirrored at both ends, fewer than the row has; {@code a} is without gaps. */
    default Tensor padReflect1d(Tensor a, int before, int after) {
        OpCall call = OpCall.of(this, Op.PAD_REFLECT_1D, new OpParameters.PadReflect1d(before, after), a)
                .require(before >= 0 && after >= 0, "no padding may be negative")
                .require(before < a.dim(0) && after < a.dim(0), "each padding must be shorter than a row")
                .require(a.layout().isContiguous(), "the operand must be without gaps")
                .require(a.type() == ElementType.F32, "the operand must be f32");
        return call.result(a.type(), call.sum(a.dim(0), before, after), a.dim(1), a.dim(2), a.dim(3));
    }

    /** {@code a} moved along each dimension, by less than its size; what leaves at one end comes in at the other. */
    default Tensor roll(Tensor a, int shift0, int shift1, int shift2, int shift3) {
        return OpCall.of(this, Op.ROLL, new OpParameters.Roll(shift0, shift1, shift2, shift3), a)
                .require(a.stride(0) == a.type().bytesPerBlock(), "the elements of each row must be without gaps")
                .require(
                        Math.abs((long) shift0) < a.dim(0)
                                && Math.abs((long) shift1) < a.dim(1)
                                && Math.abs((long) shift2) < a.dim(2)
                                && Math.abs((long) shift3) < a.dim(3),
                        "each shift must be smaller than its dimension")
                .resultLike(a);
    }

    /**
     * An f32 image {@code a[channels, w, h]} cut into square windows, padded with zeros where they do not come out
     * even: {@code [channels, edge, edge, windows]}.
     */
    default Tensor winPart(Tensor a, int edge) {
        if (edge < 1) {
            throw OpCall.of(this, Op.WIN_PART, a).refusal("a window cannot have an edge of " + edge);
        }
        long columns = Math.ceilDiv(a.dim(1), edge);
        long rows = Math.ceilDiv(a.dim(2), edge);
        OpCall call = OpCall.of(this, Op.WIN_PART, new OpParameters.WinPart(columns, rows, edge), a)
                .require(a.dim(3) == 1, "the operand must have three dimensions")
                .require(a.type() == ElementType.F32, "the operand must be f32");
        return call.result(ElementType.F32, a.dim(0), edge, edge, call.product(columns, rows));
    }

    /** The image {@code [channels, width, height]} of f32 whose windows these are: {@link #winPart} undone. */
    default Tensor winUnpart(Tensor a, int width, int height, int edge) {
        OpCall call = OpCall.of(this, Op.WIN_UNPART, new OpParameters.WinUnpart(edge), a)
                .require(a.type() == ElementType.F32, "the operand must be f32")
                .require(width >= 0 && height >= 0, "width and height must not be negative")
                .require(edge > 0 && a.dim(1) == edge && a.dim(2) == edge, "the windows must have that edge");
        return call.require(
                        call.product(Math.ceilDiv(width, edge), Math.ceilDiv(height, edge)) == a.dim(3),
                        "there must be as many windows as the image falls into")
                .result(ElementType.F32, a.dim(0), width, height);
    }
}
