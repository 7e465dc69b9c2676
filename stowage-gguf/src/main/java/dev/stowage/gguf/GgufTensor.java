package dev.stowage.gguf;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;

/**
 * A tensor of a file, and where its data is.
 *
 * @param spec what it is
 * @param part in which part of a split model it is, counted from 0
 * @param offset where its data begins, counted from where the data of that part begins
 */
public record GgufTensor(TensorSpec spec, int part, long offset) {

    public String name() {
        return spec.name();
    }

    public Layout layout() {
        return spec.layout();
    }

    public ElementType type() {
        return spec.type();
    }

    public Shape shape() {
        return spec.shape();
    }

    /** The bytes of the data. */
    public long byteSize() {
        return spec.byteSize();
    }

    /** A new leaf with this tensor's name and layout, marked as a weight and without a place. */
    public Tensor newWeight() {
        return Tensor.leaf(layout()).named(name()).asWeight();
    }

    /** The first byte after the data, counted as {@link #offset()} is. */
    public long end() {
        return offset + byteSize();
    }
}
