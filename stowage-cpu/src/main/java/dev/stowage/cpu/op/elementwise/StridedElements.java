package dev.stowage.cpu.op.elementwise;

import dev.stowage.cpu.program.Operand;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;

/**
 * Elements at regular distances: an operand as loops over single elements see it, or a part of one.
 *
 * @param strides the distances in bytes
 */
record StridedElements(ElementType type, long address, Shape shape, Strides strides) {

    static StridedElements of(Operand operand) {
        return new StridedElements(
                operand.type,
                operand.address,
                operand.layout().shape(),
                operand.layout().strides());
    }

    /** The first or the second half of every row. */
    StridedElements half(boolean second) {
        long length = shape.d0() / 2;
        long start = second ? length * strides.s0() : 0;
        return new StridedElements(
                type, address + start, Shape.of(length, shape.d1(), shape.d2(), shape.d3()), strides);
    }

    /** Whether the elements are of a type that loops over floats take. */
    boolean isFloating() {
        return type == ElementType.F32 || type == ElementType.F16 || type == ElementType.BF16;
    }

    /**
     * Whether this can be written while {@code source} is read, by any thread in any order: they have no byte in
     * common, or each element has the address of the one it is computed from.
     */
    boolean isSafeFrom(StridedElements source) {
        return isApartFrom(source) || equals(source) || liesBeside(source);
    }

    /** Whether one ends before the other begins. */
    boolean isApartFrom(StridedElements other) {
        return address >= other.address + other.span() || other.address >= address + span();
    }

    /** Whether the rows of both alternate in memory, as those of two columns of one matrix do. */
    private boolean liesBeside(StridedElements other) {
        long apart = Math.abs(address - other.address) % Math.max(1, strides.s1());
        long lower = address < other.address ? rowSpan() : other.rowSpan();
        long upper = address < other.address ? other.rowSpan() : rowSpan();
        return strides.equals(other.strides)
                && strides.s1() > 0
                && strides.s2() % strides.s1() == 0
                && strides.s3() % strides.s1() == 0
                && apart >= lower
                && apart + upper <= strides.s1();
    }

    private long rowSpan() {
        return (shape.d0() - 1) * strides.s0() + type.bytesPerBlock();
    }

    private long span() {
        return rowSpan()
                + (shape.d1() - 1) * strides.s1()
                + (shape.d2() - 1) * strides.s2()
                + (shape.d3() - 1) * strides.s3();
    }
}
