package dev.stowage.cuda.op;

import dev.stowage.device.OpSupport;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
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

    /** The types of element-wise arithmetic. */
    public static final Set<ElementType> FLOATS =
            Collections.unmodifiableSet(EnumSet.of(ElementType.F32, ElementType.F16, ElementType.BF16));

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

    /** That answer is yes too; else its reason counts. */
    public Requirements also(OpSupport answer) {
        if (!answer.isSupported() && reason == null) {
            reason = answer.reason();
        }
        return this;
    }

    /** The parameters are of that kind. */
    public Requirements parameters(Class<? extends OpParameters> kind) {
        return require(kind.isInstance(node.parameters()), "has parameters of another op: " + node.parameters());
    }

    /** An operand is of one of these types. */
    public Requirements type(int slot, ElementType... types) {
        return type(slot, List.of(types));
    }

    /** An operand is of one of these types. */
    public Requirements type(int slot, Collection<ElementType> types) {
        ElementType type = node.source(slot).type();
        return require(
                types.contains(type),
                "is for operands of " + list(types) + " only, and operand " + slot + " is " + type);
    }

    /** The result is of one of these types. */
    public Requirements result(ElementType... types) {
        return result(List.of(types));
    }

    /** The result is of one of these types. */
    public Requirements result(Collection<ElementType> types) {
        return require(
                types.contains(node.type()),
                "is for results of " + list(types) + " only, and this one is " + node.type());
    }

    /** The result and all operands are f32, f16 or bf16. */
    public Requirements allFloats() {
        for (int slot = 0; slot < node.sourceCount(); slot++) {
            if (node.hasSource(slot)) {
                type(slot, FLOATS);
            }
        }
        return result(FLOATS);
    }

    /** The result and all operands can be reached on the grid of strided kernels, and are aligned to their elements. */
    public Requirements reachable() {
        reachable(node);
        for (int slot = 0; slot < node.sourceCount(); slot++) {
            if (node.hasSource(slot)) {
                reachable(node.source(slot));
            }
        }
        return this;
    }

    private void reachable(Tensor tensor) {
        if (!tensor.shape().isEmpty()) {
            require(
                    tensor.shape().rows() <= Integer.MAX_VALUE,
                    "is for fewer than 2^31 rows, not for " + tensor.layout());
            require(
                    isAligned(tensor),
                    "is for elements at multiples of their size, not for " + tensor.layout() + " at that offset");
        }
    }

    /** Blocks begin with a number of two bytes, but for those of an odd size, which are read byte by byte. */
    private static boolean isAligned(Tensor tensor) {
        ElementType type = tensor.type();
        int step = type.isQuantized() ? 2 - type.bytesPerBlock() % 2 : type.bytesPerBlock();
        Layout layout = tensor.layout();
        for (int i = 0; i < Shape.RANK; i++) {
            if (layout.shape().dim(i) > 1 && layout.strides().stride(i) % step != 0) {
                return false;
            }
        }
        return !tensor.isView() || tensor.viewOffset() % step == 0;
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

    private static String list(Collection<ElementType> types) {
        return types.stream().map(ElementType::label).collect(Collectors.joining(" and "));
    }
}
