package dev.stowage.cuda.op;

import dev.stowage.device.OpSupport;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a kernel requires of a node, checked one after the other; the first that is not met is the reason of the answer.
 *
 * {@snippet :
 * return Requirements.of(node).type(0, ElementType.F32, ElementType.F16).rows().answer();
 * }
 */
public final class Requirements {

    private final Tensor node;
    private @Nullable String reason;

    private Requirements(Tensor node) {
        this.node = node;
    }

    /** Of a node. */
    public static Requirements of(Tensor node) {
        return new Requirements(node);
    }

    /** The rule holds; the reason says which it is. */
    public Requirements require(boolean holds, String rule) {
        if (!holds && reason == null) {
            reason = node.op() + " " + rule;
        }
        return this;
    }

    /** The parameters are of that kind. */
    public Requirements parameters(Class<? extends OpParameters> kind) {
        return require(kind.isInstance(node.parameters()), "has parameters of another op: " + node.parameters());
    }

    /** An operand is of one of these types. */
    public Requirements type(int slot, ElementType... types) {
        ElementType type = node.source(slot).type();
        return require(
                Arrays.asList(types).contains(type),
                "is for operands of " + list(types) + " only, and operand " + slot + " is " + type);
    }

    /** The result is of one of these types. */
    public Requirements result(ElementType... types) {
        return require(
                Arrays.asList(types).contains(node.type()),
                "is for results of " + list(types) + " only, and this one is " + node.type());
    }

    /** The result has fewer rows than a grid has blocks. */
    public Requirements rows() {
        return require(
                node.shape().rows() < Integer.MAX_VALUE,
                "has " + node.shape().rows() + " rows, and a grid has fewer than 2^31 blocks");
    }

    /** None of the operands is empty, although the result is not. */
    public Requirements operands() {
        for (int slot = 0; slot < node.sourceCount(); slot++) {
            require(
                    !node.hasSource(slot) || !node.source(slot).shape().isEmpty(),
                    "has an empty operand in slot " + slot);
        }
        return this;
    }

    /** Yes if all were met, else no with the first reason. */
    public OpSupport answer() {
        return reason == null ? OpSupport.yes() : OpSupport.no(reason);
    }

    private static String list(ElementType... types) {
        return Arrays.stream(types)
                .map(type -> type.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(" and "));
    }
}
