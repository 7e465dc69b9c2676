package dev.stowage.graph;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.Window;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call of an op function: first its operands, then the rules that must hold, then the result. Every refusal has a
 * message of the same form: the op, its operands, its parameters, and the rule that was broken.
 */
final class OpCall {

    private final GraphBuilder builder;
    private final Op op;
    private final OpParameters parameters;
    private final @Nullable Tensor[] operands;

    private OpCall(GraphBuilder builder, Op op, OpParameters parameters, @Nullable Tensor[] operands) {
        this.builder = builder;
        this.op = op;
        this.parameters = Objects.requireNonNull(parameters);
        this.operands = withoutTrailingGaps(operands);
    }

    private static @Nullable Tensor[] withoutTrailingGaps(@Nullable Tensor[] operands) {
        int end = operands.length;
        while (end > 0 && operands[end - 1] == null) {
            end--;
        }
        return end == operands.length ? operands : Arrays.copyOf(operands, end);
    }

    /** An op without parameters; the operands are its source slots, null for a gap. */
    static OpCall of(OpFamily family, Op op, @Nullable Tensor... operands) {
        return of(family, op, OpParameters.NONE, operands);
    }

    /** An op with parameters; the operands are its source slots, null for a gap. */
    static OpCall of(OpFamily family, Op op, OpParameters parameters, @Nullable Tensor... operands) {
        return switch (family) {
            case GraphBuilder builder -> new OpCall(builder, op, parameters, operands);
        };
    }

    /** Refuses the op unless the rule holds. */
    OpCall require(boolean holds, String rule) {
        if (!holds) {
            throw refusal(rule);
        }
        return this;
    }

    /** A fresh result without gaps, dimensions innermost first. */
    Tensor result(ElementType type, long... dimensions) {
        return result(checked(() -> Layout.contiguous(type, dimensions)), "");
    }

    /** A fresh result without gaps. */
    Tensor result(ElementType type, Shape shape) {
        return result(type, shape, "");
    }

    /** A fresh result without gaps and with a name. */
    Tensor result(ElementType type, Shape shape, String name) {
        return result(checked(() -> Layout.contiguous(type, shape)), name);
    }

    /** A fresh result without gaps and with a name that is also its own last operand. */
    Tensor resultOntoItself(ElementType type, Shape shape, String name) {
        Layout layout = checked(() -> Layout.contiguous(type, shape));
        return keep(() -> begin(layout).name(name).sourceItself(operands.length));
    }

    /** A fresh result of that layout and with a name. */
    Tensor result(Layout layout, String name) {
        return keep(() -> begin(layout).name(name));
    }

    /** A fresh result without gaps, of the same type and shape as an operand. */
    Tensor resultLike(Tensor operand) {
        return result(operand.type(), operand.shape());
    }

    /** A result that overwrites an operand: a view of all of it. */
    Tensor resultOver(Tensor operand) {
        return resultOver(operand, operand.layout(), 0, "view");
    }

    /** {@link #resultOver(Tensor)} where in place, else {@link #resultLike(Tensor)}. */
    Tensor result(Tensor operand, boolean inPlace) {
        return inPlace ? resultOver(operand) : resultLike(operand);
    }

    /** A result that is a view of an operand and called {@code what} in its name. */
    Tensor resultOver(Tensor operand, Layout layout, long offset, String what) {
        return keep(() -> begin(layout).viewOf(operand, offset).name(derivedName(operand, what)));
    }

    /** A shape of the caller's choice, refused where there is none. */
    Shape shape(long... dimensions) {
        return checked(() -> Shape.of(dimensions));
    }

    /** Product of sizes, refused where it cannot be counted. */
    long product(long... sizes) {
        return checked(() -> {
            long product = 1;
            for (long size : sizes) {
                product = Math.multiplyExact(product, size);
            }
            return product;
        });
    }

    /** Sum of sizes, refused where it cannot be counted. */
    long sum(long... sizes) {
        return checked(() -> {
            long sum = 0;
            for (long size : sizes) {
                sum = Math.addExact(sum, size);
            }
            return sum;
        });
    }

    /** How many positions a kernel has along an input, refused where it has none. */
    long positions(long input, long kernel, Window window) {
        long room = sum(input, 2L * window.padding());
        long reach = sum(product(window.dilation(), kernel - 1), 1);
        require(kernel > 0 && reach <= room, "the kernel must fit into the padded input in every dimension");
        return (room - reach) / window.stride() + 1;
    }

    /** How long the result of a transposed convolution is, refused where there is nothing to convolve. */
    long spread(long input, long kernel, int stride) {
        require(stride > 0 && input > 0 && kernel > 0, "stride, kernel and input must be at least 1 long");
        return sum(product(input - 1, stride), kernel);
    }

    /** Makes something the result is made of, telling in the words of this op why it cannot be made. */
    <T> T checked(Supplier<T> making) {
        try {
            return making.get();
        } catch (InvalidTensorException refused) {
            throw refusal(String.valueOf(refused.getMessage()));
        } catch (ArithmeticException _) {
            throw refusal("a size is larger than a long can count");
        }
    }

    /** The name of something made from a tensor: {@code "q (view)"}; nothing for what has no name. */
    static String derivedName(Tensor origin, String what) {
        return origin.name().isEmpty() ? "" : origin.name() + " (" + what + ")";
    }

    /** Whether {@code size} is a whole number of times {@code part}; only nothing is a multiple of nothing. */
    static boolean isMultiple(long size, long part) {
        return part == 0 ? size == 0 : size % part == 0;
    }

    private Tensor.Builder begin(Layout layout) {
        Tensor.Builder made = Tensor.builder(layout).op(op, parameters);
        for (int slot = 0; slot < operands.length; slot++) {
            Tensor operand = operands[slot];
            if (operand != null) {
                made.sourceAt(slot, operand);
            }
        }
        return made;
    }

    private Tensor keep(Supplier<Tensor.Builder> result) {
        return builder.keep(checked(() -> result.get().build()));
    }

    /** The exception for a broken rule, in the words all refusals have. */
    InvalidTensorException refusal(String rule) {
        StringBuilder message = new StringBuilder(op.name());
        String separator = " of ";
        for (Tensor operand : operands) {
            if (operand != null) {
                message.append(separator).append(operand.describe());
                separator = ", ";
            }
        }
        if (!(parameters instanceof OpParameters.None)) {
            message.append(" with ").append(parameters);
        }
        return new InvalidTensorException(message.append(": ").append(rule).toString());
    }
}
