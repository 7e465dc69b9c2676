package dev.stowage.cuda.op.strided;

import dev.stowage.device.OpSupport;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Rules that operands must keep, as answers with a reason. An op asks for one after the other and stops at the first
 * that says no.
 */
public final class Rules {

    /** The types of element-wise arithmetic. */
    public static final Set<ElementType> FLOATS = EnumSet.of(ElementType.F32, ElementType.F16, ElementType.BF16);

    private Rules() {}

    /** Yes if it holds, else no for that reason. */
    public static OpSupport require(boolean holds, String reason) {
        return holds ? OpSupport.yes() : OpSupport.no(reason);
    }

    /** The first answer that is no, else yes. */
    public static OpSupport all(OpSupport... answers) {
        for (OpSupport answer : answers) {
            if (!answer.isSupported()) {
                return answer;
            }
        }
        return OpSupport.yes();
    }

    /** Whether the result and all operands can be reached on the grid, and are aligned to their elements. */
    public static OpSupport reachable(Tensor node) {
        OpSupport answer = reachable(node, node);
        for (int slot = 0; slot < node.sourceCount() && answer.isSupported(); slot++) {
            if (node.hasSource(slot)) {
                answer = reachable(node, node.source(slot));
            }
        }
        return answer;
    }

    private static OpSupport reachable(Tensor node, Tensor tensor) {
        if (tensor.shape().isEmpty()) {
            return OpSupport.yes();
        }
        return all(
                require(
                        tensor.shape().rows() <= Integer.MAX_VALUE,
                        node.op() + " is for fewer than 2^31 rows, not for " + tensor.layout()),
                require(
                        isAligned(tensor),
                        node.op() + " is for elements at multiples of their size, not for " + tensor.layout()
                                + " at that offset"));
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

    /** Whether a tensor, the result or an operand of the node, has one of those types. */
    public static OpSupport typeIn(Tensor node, Tensor tensor, Set<ElementType> types) {
        if (types.contains(tensor.type())) {
            return OpSupport.yes();
        }
        String names = types.stream().map(ElementType::label).collect(Collectors.joining(", "));
        return OpSupport.no(node.op() + " is for " + names + " only, not for " + tensor.type());
    }

    /** Whether the result and all operands are f32, f16 or bf16. */
    public static OpSupport allFloats(Tensor node) {
        OpSupport answer = typeIn(node, node, FLOATS);
        for (int slot = 0; slot < node.sourceCount() && answer.isSupported(); slot++) {
            if (node.hasSource(slot)) {
                answer = typeIn(node, node.source(slot), FLOATS);
            }
        }
        return answer;
    }

    /** Whether the parameters are of that kind, as they are unless a tensor is made by hand. */
    public static OpSupport parameters(Tensor node, Class<?> kind) {
        return require(
                kind.isInstance(node.parameters()),
                "the parameters " + node.parameters() + " do not belong to " + node.op());
    }
}
