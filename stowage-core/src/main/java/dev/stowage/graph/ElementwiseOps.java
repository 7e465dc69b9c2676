package dev.stowage.graph;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;

/**
 * Arithmetic element by element. Where there are two operands, the second one repeats: each of its dimensions divides
 * that of the first, whose type and shape the result has. The functions that work in place give a view of the first
 * operand instead of a tensor of their own.
 */
sealed interface ElementwiseOps extends OpFamily permits GraphBuilder {

    /** {@code a + b}; {@code b} repeats into {@code a}. */
    default Tensor add(Tensor a, Tensor b) {
        return combine(Op.ADD, a, b, false);
    }

    /** {@link #add} in the bytes of {@code a}. */
    default Tensor addInplace(Tensor a, Tensor b) {
        return combine(Op.ADD, a, b, true);
    }

    /** {@code a - b}; {@code b} repeats into {@code a}. */
    default Tensor sub(Tensor a, Tensor b) {
        return combine(Op.SUB, a, b, false);
    }

    /** {@link #sub} in the bytes of {@code a}. */
    default Tensor subInplace(Tensor a, Tensor b) {
        return combine(Op.SUB, a, b, true);
    }

    /** {@code a * b}; {@code b} repeats into {@code a}. */
    default Tensor mul(Tensor a, Tensor b) {
        return combine(Op.MUL, a, b, false);
    }

    /** {@link #mul} in the bytes of {@code a}. */
    default Tensor mulInplace(Tensor a, Tensor b) {
        return combine(Op.MUL, a, b, true);
    }

    /** {@code a / b}; {@code b} repeats into {@code a}. */
    default Tensor div(Tensor a, Tensor b) {
        return combine(Op.DIV, a, b, false);
    }

    /** {@link #div} in the bytes of {@code a}. */
    default Tensor divInplace(Tensor a, Tensor b) {
        return combine(Op.DIV, a, b, true);
    }

    private Tensor combine(Op op, Tensor a, Tensor b, boolean inPlace) {
        return OpCall.of(this, op, a, b)
                .require(
                        b.shape().repeatsInto(a.shape()),
                        "the second must repeat a whole number of times into the first")
                .result(a, inPlace);
    }

    /** {@code a + b} as {@code type}; {@code a} is quantised, f16 or bf16, {@code b} has rows of the same length. */
    default Tensor addCast(Tensor a, Tensor b, ElementType type) {
        return OpCall.of(this, Op.ADD, a, b)
                .require(a.dim(0) == b.dim(0), "the rows of both must have the same length")
                .require(
                        b.shape().repeatsInto(a.shape()),
                        "the second must repeat a whole number of times into the first")
                .require(
                        a.type().isQuantized() || a.type() == ElementType.F16 || a.type() == ElementType.BF16,
                        "the first must be quantised, f16 or bf16 for its sum to be cast")
                .result(type, a.shape());
    }

    /** {@code a[:, e, t] + b[:, ids[e, t]]}: adds to each row the row of {@code b} that {@code ids} (i32) names. */
    default Tensor addId(Tensor a, Tensor b, Tensor ids) {
        return OpCall.of(this, Op.ADD_ID, a, b, ids)
                .require(a.dim(0) == b.dim(0), "the rows of both must have the same length")
                .require(
                        a.dim(1) == ids.dim(0) && a.dim(2) == ids.dim(1),
                        "there must be one id for each row of the first")
                .require(ids.type() == ElementType.I32, "the ids must be i32")
                .resultLike(a);
    }

    /** {@code a + b} for a single number {@code b}. */
    default Tensor add1(Tensor a, Tensor b) {
        return addOne(a, b, false);
    }

    /** {@link #add1} in the bytes of {@code a}. */
    default Tensor add1Inplace(Tensor a, Tensor b) {
        return addOne(a, b, true);
    }

    private Tensor addOne(Tensor a, Tensor b, boolean inPlace) {
        return OpCall.of(this, Op.ADD1, a, b)
                .require(b.shape().isScalar(), "the second must be a single number")
                .require(hasEvenRows(a), "the first must have gapless rows at equal distances")
                .result(a, inPlace);
    }

    /** {@code a * scale}. */
    default Tensor scale(Tensor a, float scale) {
        return scaled(a, scale, 0f, false);
    }

    /** {@link #scale} in the bytes of {@code a}. */
    default Tensor scaleInplace(Tensor a, float scale) {
        return scaled(a, scale, 0f, true);
    }

    /** {@code a * scale + bias}. */
    default Tensor scaleBias(Tensor a, float scale, float bias) {
        return scaled(a, scale, bias, false);
    }

    /** {@link #scaleBias} in the bytes of {@code a}. */
    default Tensor scaleBiasInplace(Tensor a, float scale, float bias) {
        return scaled(a, scale, bias, true);
    }

    private Tensor scaled(Tensor a, float scale, float bias, boolean inPlace) {
        return OpCall.of(this, Op.SCALE, new OpParameters.Scale(scale, bias), a)
                .require(hasEvenRows(a), "the operand must have gapless rows at equal distances")
                .result(a, inPlace);
    }

    /** {@code a * a}. */
    default Tensor sqr(Tensor a) {
        return OpCall.of(this, Op.SQR, a).resultLike(a);
    }

    /** {@link #sqr} in the bytes of {@code a}. */
    default Tensor sqrInplace(Tensor a) {
        return OpCall.of(this, Op.SQR, a).resultOver(a);
    }

    /** The square root of {@code a}. */
    default Tensor sqrt(Tensor a) {
        return OpCall.of(this, Op.SQRT, a).resultLike(a);
    }

    /** {@link #sqrt} in the bytes of {@code a}. */
    default Tensor sqrtInplace(Tensor a) {
        return OpCall.of(this, Op.SQRT, a).resultOver(a);
    }

    /** The natural logarithm of {@code a}. */
    default Tensor log(Tensor a) {
        return OpCall.of(this, Op.LOG, a).resultLike(a);
    }

    /** {@link #log} in the bytes of {@code a}. */
    default Tensor logInplace(Tensor a) {
        return OpCall.of(this, Op.LOG, a).resultOver(a);
    }

    /** The sine of {@code a}. */
    default Tensor sin(Tensor a) {
        return OpCall.of(this, Op.SIN, a).resultLike(a);
    }

    /** {@link #sin} in the bytes of {@code a}. */
    default Tensor sinInplace(Tensor a) {
        return OpCall.of(this, Op.SIN, a).resultOver(a);
    }

    /** The cosine of {@code a}. */
    default Tensor cos(Tensor a) {
        return OpCall.of(this, Op.COS, a).resultLike(a);
    }

    /** {@link #cos} in the bytes of {@code a}. */
    default Tensor cosInplace(Tensor a) {
        return OpCall.of(this, Op.COS, a).resultOver(a);
    }

    /** {@code a} kept between {@code min} and {@code max}; always in the bytes of {@code a}, as in ggml. */
    default Tensor clamp(Tensor a, float min, float max) {
        return OpCall.of(this, Op.CLAMP, new OpParameters.Clamp(min, max), a)
                .require(min <= max, "the lower bound must not be above the upper one")
                .resultOver(a);
    }

    /** {@code a} where it is positive, else {@code a * slope}. */
    default Tensor leakyRelu(Tensor a, float slope) {
        return OpCall.of(this, Op.LEAKY_RELU, new OpParameters.LeakyRelu(slope), a)
                .resultLike(a);
    }

    /** {@link #leakyRelu} in the bytes of {@code a}. */
    default Tensor leakyReluInplace(Tensor a, float slope) {
        return OpCall.of(this, Op.LEAKY_RELU, new OpParameters.LeakyRelu(slope), a)
                .resultOver(a);
    }

    private static boolean hasEvenRows(Tensor a) {
        return a.stride(0) == a.type().bytesPerBlock()
                && a.stride(2) == a.stride(1) * a.dim(1)
                && a.stride(3) == a.stride(2) * a.dim(2);
    }
}
