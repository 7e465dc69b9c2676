package dev.stowage.rpc.wire;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes a tensor from what a message says of it, and refuses what is not a tensor that could have been built here. */
public final class NodeReader {

    private NodeReader() {}

    /**
     * The tensor.
     *
     * @param sources the tensors that its slots refer to, null where a slot is empty or refers to the tensor itself
     * @param viewSource the tensor whose bytes it shares, or null
     * @throws InvalidTensorException if the op refuses the operands, or gives another result than the message says
     */
    public static Tensor read(
            Op op, Layout layout, WireTensor wire, @Nullable Tensor[] sources, @Nullable Tensor viewSource) {
        int[] words = new int[WireTensor.PARAMETERS];
        Arrays.setAll(words, wire::parameter);
        @Nullable Tensor[] slots = withoutTrailingGaps(sources);
        Operands operands = new Operands(op, words, slots, layout);
        Tensor.Builder builder =
                Tensor.builder(layout).op(op, parameters(operands, layout, viewSource, wire.viewOffset()));
        for (int slot = 0; slot < slots.length; slot++) {
            Tensor source = slots[slot];
            if (source != null) {
                builder.sourceAt(slot, source);
            }
        }
        if (viewSource != null) {
            builder.viewOf(viewSource, wire.viewOffset());
        } else if (op.isViewOp()) {
            throw new InvalidTensorException(op + " '" + wire.name() + "' is a view of nothing");
        }
        if (op == Op.CPY && slots.length == 1) {
            builder.sourceItself(1);
        }
        return builder.build();
    }

    /**
     * Checks a node that is about to be sent as a server would, since it ends where a node is not valid.
     *
     * @throws InvalidTensorException if the op refuses the operands, or gives another result than the node has
     */
    public static void require(Tensor node, int[] words) {
        @Nullable Tensor[] sources = new Tensor[node.sourceCount()];
        for (int slot = 0; slot < sources.length; slot++) {
            Tensor source = node.hasSource(slot) ? node.source(slot) : null;
            sources[slot] = Objects.equals(source, node) ? null : source;
        }
        Operands operands = new Operands(node.op(), words, sources, node.layout());
        parameters(operands, node.layout(), node.isView() ? node.viewSource() : null, node.viewOffset());
    }

    private static @Nullable Tensor[] withoutTrailingGaps(@Nullable Tensor[] sources) {
        int end = sources.length;
        while (end > 0 && sources[end - 1] == null) {
            end--;
        }
        return Arrays.copyOf(sources, end);
    }

    private static OpParameters parameters(
            Operands operands, Layout layout, @Nullable Tensor viewSource, long viewOffset) {
        return switch (operands.op()) {
            case NONE, RESHAPE, TRANSPOSE -> OpParameters.NONE;
            case VIEW -> new OpParameters.View(operands.size(0));
            case PERMUTE ->
                new OpParameters.Permute(operands.word(0), operands.word(1), operands.word(2), operands.word(3));
            default -> {
                Tensor model = OpReader.read(operands);
                if (!layout.equals(model.layout()) && !isInPlace(operands, layout, viewSource, viewOffset)) {
                    throw new InvalidTensorException(
                            operands.op() + " of these operands gives " + model.layout() + " and not " + layout);
                }
                yield model.parameters();
            }
        };
    }

    /** Whether the result is a view of all of the first operand: an op that was asked to work in place. */
    private static boolean isInPlace(Operands operands, Layout layout, @Nullable Tensor viewSource, long viewOffset) {
        Tensor first = operands.optional(0);
        if (first == null || viewSource == null) {
            return false;
        }
        Tensor root = first.isView() ? first.viewSource() : first;
        return Objects.equals(root, viewSource) && first.viewOffset() == viewOffset && layout.equals(first.layout());
    }
}
