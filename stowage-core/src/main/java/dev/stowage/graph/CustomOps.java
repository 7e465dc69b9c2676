package dev.stowage.graph;

import dev.stowage.tensor.CustomOp;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.util.Objects;

/**
 * Ops written by the caller in Java. The work may be divided into as many parts as the device has threads, or into at
 * most {@code maxParts} where that is given.
 */
sealed interface CustomOps extends OpFamily permits GraphBuilder {

    /** {@code function} of one operand, whose type and shape the result has. */
    default Tensor mapCustom1(Tensor a, CustomOp function) {
        return call(Op.MAP_CUSTOM1, function, Integer.MAX_VALUE, a).resultLike(a);
    }

    /** {@link #mapCustom1(Tensor, CustomOp)} in at most so many parts. */
    default Tensor mapCustom1(Tensor a, CustomOp function, int maxParts) {
        return call(Op.MAP_CUSTOM1, function, maxParts, a).resultLike(a);
    }

    /** {@link #mapCustom1(Tensor, CustomOp, int)} in the bytes of {@code a}. */
    default Tensor mapCustom1Inplace(Tensor a, CustomOp function, int maxParts) {
        return call(Op.MAP_CUSTOM1, function, maxParts, a).resultOver(a);
    }

    /** {@code function} of two operands; the result has the type and shape of the first. */
    default Tensor mapCustom2(Tensor a, Tensor b, CustomOp function) {
        return call(Op.MAP_CUSTOM2, function, Integer.MAX_VALUE, a, b).resultLike(a);
    }

    /** {@link #mapCustom2(Tensor, Tensor, CustomOp)} in at most so many parts. */
    default Tensor mapCustom2(Tensor a, Tensor b, CustomOp function, int maxParts) {
        return call(Op.MAP_CUSTOM2, function, maxParts, a, b).resultLike(a);
    }

    /** {@link #mapCustom2(Tensor, Tensor, CustomOp, int)} in the bytes of {@code a}. */
    default Tensor mapCustom2Inplace(Tensor a, Tensor b, CustomOp function, int maxParts) {
        return call(Op.MAP_CUSTOM2, function, maxParts, a, b).resultOver(a);
    }

    /** {@code function} of three operands; the result has the type and shape of the first. */
    default Tensor mapCustom3(Tensor a, Tensor b, Tensor c, CustomOp function) {
        return call(Op.MAP_CUSTOM3, function, Integer.MAX_VALUE, a, b, c).resultLike(a);
    }

    /** {@link #mapCustom3(Tensor, Tensor, Tensor, CustomOp)} in at most so many parts. */
    default Tensor mapCustom3(Tensor a, Tensor b, Tensor c, CustomOp function, int maxParts) {
        return call(Op.MAP_CUSTOM3, function, maxParts, a, b, c).resultLike(a);
    }

    /** {@link #mapCustom3(Tensor, Tensor, Tensor, CustomOp, int)} in the bytes of {@code a}. */
    default Tensor mapCustom3Inplace(Tensor a, Tensor b, Tensor c, CustomOp function, int maxParts) {
        return call(Op.MAP_CUSTOM3, function, maxParts, a, b, c).resultOver(a);
    }

    /** {@code function} of any number of operands, with a result of any type and shape. */
    default Tensor custom(ElementType type, Shape shape, CustomOp function, Tensor... operands) {
        return call(Op.CUSTOM, function, Integer.MAX_VALUE, operands).result(type, shape);
    }

    /** {@link #custom(ElementType, Shape, CustomOp, Tensor...)} in at most so many parts. */
    default Tensor custom(ElementType type, Shape shape, CustomOp function, int maxParts, Tensor... operands) {
        return call(Op.CUSTOM, function, maxParts, operands).result(type, shape);
    }

    /** {@code function} of {@code a} and any number of other operands, in the bytes of {@code a}. */
    default Tensor customInplace(Tensor a, CustomOp function, int maxParts, Tensor... others) {
        Tensor[] operands = new Tensor[others.length + 1];
        operands[0] = a;
        System.arraycopy(others, 0, operands, 1, others.length);
        return call(Op.CUSTOM, function, maxParts, operands).resultOver(a);
    }

    private OpCall call(Op op, CustomOp function, int maxParts, Tensor... operands) {
        for (Tensor operand : operands) {
            Objects.requireNonNull(operand);
        }
        return OpCall.of(this, op, new OpParameters.Custom(function, maxParts), operands)
                .require(maxParts > 0, "the work must have at least one part");
    }
}
