package dev.stowage.schedule;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;

/** Raw tensors for graphs of a few nodes, all of {@value #FLOATS} floats unless said otherwise. */
public final class Tensors {

    static final long FLOATS = 16;
    public static final long BYTES = FLOATS * Float.BYTES;

    private static final Layout LAYOUT = Layout.contiguous(ElementType.F32, FLOATS);

    private Tensors() {}

    public static Tensor leaf(String name) {
        return Tensor.leaf(LAYOUT).named(name);
    }

    public static Tensor leaf(String name, long floats) {
        return Tensor.leaf(Layout.contiguous(ElementType.F32, floats)).named(name);
    }

    public static Tensor input(String name) {
        return leaf(name).asInput();
    }

    public static Tensor node(String name, Op op, Tensor... sources) {
        return Tensor.builder(LAYOUT).op(op).sources(sources).name(name).build();
    }

    /** A node of an op that never works in place. */
    public static Tensor node(String name, Tensor... sources) {
        return node(name, Op.CONCAT, sources);
    }

    public static Tensor mulMat(String name, Tensor weight, Tensor x) {
        return node(name, Op.MUL_MAT, weight, x);
    }

    public static Tensor view(String name, Tensor source) {
        return view(name, Op.VIEW, source);
    }

    public static Tensor view(String name, Op op, Tensor source) {
        return Tensor.builder(LAYOUT)
                .op(op)
                .sources(source)
                .viewOf(source, 0)
                .name(name)
                .build();
    }

    /** A view that no op makes, which counts as a leaf. */
    public static Tensor bareView(String name, Tensor source) {
        return Tensor.builder(LAYOUT).viewOf(source, 0).name(name).build();
    }

    /** A result that is written into another tensor. */
    public static Tensor copyInto(String name, Tensor from, Tensor into) {
        return Tensor.builder(LAYOUT)
                .op(Op.CPY)
                .sources(from, into)
                .viewOf(into, 0)
                .name(name)
                .build();
    }
}
