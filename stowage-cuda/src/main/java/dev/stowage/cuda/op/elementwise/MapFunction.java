package dev.stowage.cuda.op.elementwise;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.UnaryFunction;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Functions of one element. The codes are those of {@code unary.cu}. */
enum MapFunction {
    ABS(0),
    SGN(1),
    NEG(2),
    STEP(3),
    TANH(4),
    ELU(5),
    RELU(6),
    SIGMOID(7),
    GELU(8),
    GELU_QUICK(9),
    SILU(10),
    HARDSWISH(11),
    HARDSIGMOID(12),
    EXP(13),
    EXPM1(14),
    SOFTPLUS(15),
    GELU_ERF(16),
    XIELU(17),
    FLOOR(18),
    CEIL(19),
    ROUND(20),
    TRUNC(21),
    SQR(22),
    SQRT(23),
    LOG(24),
    SIN(25),
    COS(26),
    SCALE(27),
    CLAMP(28),
    LEAKY_RELU(29),
    FILL(30);

    /** The ops that apply such a function to every element. */
    static final Set<Op> OPS =
            EnumSet.of(Op.UNARY, Op.SQR, Op.SQRT, Op.LOG, Op.SIN, Op.COS, Op.SCALE, Op.CLAMP, Op.LEAKY_RELU, Op.FILL);

    private final int code;

    MapFunction(int code) {
        this.code = code;
    }

    /** The number of the function in {@code unary.cu}. */
    int code() {
        return code;
    }

    /** A function and its coefficients, in the order of {@code unary.cu}; most use none. */
    record Call(MapFunction function, float c0, float c1, float c2, float c3) {

        Call(MapFunction function) {
            this(function, 0, 0, 0, 0);
        }

        Call(MapFunction function, float c0) {
            this(function, c0, 0, 0, 0);
        }

        Call(MapFunction function, float c0, float c1) {
            this(function, c0, c1, 0, 0);
        }
    }

    /** The function of a node of one of the {@link #OPS}; empty if its parameters are of another op. */
    static Optional<Call> of(Tensor node) {
        return switch (node.op()) {
            case SQR -> Optional.of(new Call(SQR));
            case SQRT -> Optional.of(new Call(SQRT));
            case LOG -> Optional.of(new Call(LOG));
            case SIN -> Optional.of(new Call(SIN));
            case COS -> Optional.of(new Call(COS));
            default -> ofParameters(node);
        };
    }

    private static Optional<Call> ofParameters(Tensor node) {
        return switch (node.parameters()) {
            case OpParameters.Unary(UnaryFunction function)
            when node.op() == Op.UNARY && function != UnaryFunction.XIELU ->
                Optional.of(new Call(valueOf(function.name())));
            case OpParameters.Xielu x
            when node.op() == Op.UNARY ->
                Optional.of(new Call(XIELU, x.alphaNegative(), x.alphaPositive(), x.beta(), x.epsilon()));
            case OpParameters.Scale(float scale, float bias)
            when node.op() == Op.SCALE -> Optional.of(new Call(SCALE, scale, bias));
            case OpParameters.Clamp(float min, float max)
            when node.op() == Op.CLAMP -> Optional.of(new Call(CLAMP, min, max));
            case OpParameters.LeakyRelu(float slope)
            when node.op() == Op.LEAKY_RELU -> Optional.of(new Call(LEAKY_RELU, slope));
            case OpParameters.Fill(float value) when node.op() == Op.FILL -> Optional.of(new Call(FILL, value));
            default -> Optional.empty();
        };
    }
}
