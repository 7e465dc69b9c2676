package dev.stowage.rpc.wire;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** What a message says of a node: its op, the words of its parameters, its sources by slot and the layout of its result. */
final class Operands {

    private final Op op;
    private final int[] words;
    private final @Nullable Tensor[] sources;
    private final Layout layout;

    /** Sources are null where a slot is empty. */
    Operands(Op op, int[] words, @Nullable Tensor[] sources, Layout layout) {
        this.op = op;
        this.words = words;
        this.sources = sources;
        this.layout = layout;
    }

    Op op() {
        return op;
    }

    Layout layout() {
        return layout;
    }

    Tensor source(int slot) {
        Tensor source = optional(slot);
        if (source == null) {
            throw new InvalidTensorException(op + " without its operand " + slot);
        }
        return source;
    }

    @Nullable
    Tensor optional(int slot) {
        return slot < sources.length ? sources[slot] : null;
    }

    int word(int index) {
        return words[index];
    }

    float real(int index) {
        return Float.intBitsToFloat(words[index]);
    }

    boolean flag(int index) {
        return words[index] != 0;
    }

    long size(int index) {
        return Integer.toUnsignedLong(words[index]) | (long) words[index + 1] << Integer.SIZE;
    }

    /** The constant whose number is in a word; the constants are listed in the order of ggml's numbers. */
    <E extends Enum<E>> E constant(E[] values, int index) {
        return constantOf(values, words[index]);
    }

    <E extends Enum<E>> E constantOf(E[] values, int number) {
        if (number < 0 || number >= values.length) {
            throw new InvalidTensorException(op + " with a parameter " + number + ", which stands for nothing");
        }
        return values[number];
    }
}
