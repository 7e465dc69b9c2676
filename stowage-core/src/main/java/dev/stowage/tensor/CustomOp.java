package dev.stowage.tensor;

import java.lang.foreign.MemorySegment;

/**
 * An op written by the caller. It is called when the graph runs, once for every part the work is divided into,
 * possibly at the same time on several threads; each call computes its part of the result.
 *
 * <p>How to divide is the function's choice. The usual way is by rows: part {@code i} of {@code n} computes the rows
 * from {@code i * rows / n} up to {@code (i + 1) * rows / n}.
 */
@FunctionalInterface
public interface CustomOp {

    /**
     * Computes one part of the result.
     *
     * @param part what to compute and where the bytes are; only to be used until this method returns
     */
    void compute(Part part);

    /** One call of a custom op: the tensors, their bytes, and which part of the work is meant. */
    interface Part {

        /** The tensor to compute; its sources are the operands, and its parameters say which function this is. */
        Tensor result();

        /**
         * The bytes of the result or of one of its sources, from its first byte on, laid out as its
         * {@linkplain Tensor#layout() layout} says. Sources are to be read only.
         */
        MemorySegment bytes(Tensor tensor);

        /** Which part this is, from 0. */
        int index();

        /** Into how many parts the work is divided. */
        int count();
    }
}
