package dev.stowage.gguf;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;

/** A tensor as a file lists it, wherever its data is: name, type and shape. */
public record TensorSpec(String name, Layout layout) {

    public TensorSpec {
        if (name.isEmpty()) {
            throw new InvalidTensorException("a tensor in a file needs a name");
        }
        if (!layout.isContiguous()) {
            throw new InvalidTensorException(
                    "tensor '" + name + "' (" + layout + ") has gaps, which a file cannot have");
        }
    }

    /** A tensor of that type and shape. */
    public static TensorSpec of(String name, ElementType type, Shape shape) {
        return new TensorSpec(name, Layout.contiguous(type, shape));
    }

    /** A tensor of that type and shape, innermost dimension first. */
    public static TensorSpec of(String name, ElementType type, long... dimensions) {
        return new TensorSpec(name, Layout.contiguous(type, dimensions));
    }

    public ElementType type() {
        return layout.type();
    }

    public Shape shape() {
        return layout.shape();
    }

    /** The bytes of the data. */
    public long byteSize() {
        return layout.byteSize();
    }

    /** Name and layout, for messages: {@code 'output.weight' (q6_K[4096, 32000])}. */
    public String describe() {
        return "'" + Printable.brief(name) + "' (" + layout + ")";
    }
}
