package dev.stowage.plan;

import dev.stowage.memory.Buffer;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;

/** Raw tensors for graphs of a few nodes, with sizes counted in floats of four bytes. */
public final class TestTensors {

    private TestTensors() {}

    /** Whether a tensor has memory of its own at that offset of that buffer. */
    @SuppressWarnings("ReferenceEquality") // two buffers are never the same memory
    static boolean isAt(Tensor tensor, Buffer buffer, long offset) {
        return tensor.isPlaced() && Buffer.of(tensor) == buffer && tensor.storageOffset() == offset;
    }

    public static Layout floats(long count) {
        return Layout.contiguous(ElementType.F32, count);
    }

    public static Tensor leaf(String name, long floats) {
        return Tensor.leaf(floats(floats)).named(name);
    }

    public static Tensor node(String name, Op op, long floats, Tensor... sources) {
        return Tensor.builder(floats(floats)).op(op).sources(sources).name(name).build();
    }

    /** A result that may overwrite its first operand, if that has as many floats. */
    public static Tensor add(String name, long floats, Tensor... sources) {
        return node(name, Op.ADD, floats, sources);
    }

    /** A result that never overwrites an operand. */
    static Tensor cont(String name, long floats, Tensor... sources) {
        return node(name, Op.CONT, floats, sources);
    }

    /** A view of some floats of another tensor. */
    public static Tensor view(String name, Tensor source, long fromFloat, long floats) {
        return Tensor.builder(floats(floats))
                .op(Op.VIEW)
                .sources(source)
                .viewOf(source, fromFloat * Float.BYTES)
                .name(name)
                .build();
    }

    /** A result that is written into another tensor. */
    public static Tensor copy(String name, Tensor from, Tensor into) {
        return Tensor.builder(into.layout())
                .op(Op.CPY)
                .sources(from, into)
                .viewOf(into, 0)
                .name(name)
                .build();
    }

    /** A view without an op, which keeps its source alive up to its position. */
    public static Tensor keeper(String name, Tensor kept) {
        return Tensor.builder(kept.layout())
                .sources(kept)
                .viewOf(kept, 0)
                .name(name)
                .build();
    }
}
