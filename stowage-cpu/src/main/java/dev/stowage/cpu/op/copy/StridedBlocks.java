package dev.stowage.cpu.op.copy;

import dev.stowage.cpu.program.Operand;

/**
 * The blocks of a tensor, or of a region of one, in four dimensions: single elements of a plain type, whole blocks of a
 * quantised one. Ops that only move elements see no more of their operands than this.
 *
 * @param address of the first block
 * @param bytes the bytes of a block
 */
record StridedBlocks(long address, int bytes, long d0, long d1, long d2, long d3, long s0, long s1, long s2, long s3) {

    static StridedBlocks of(Operand a) {
        long d0 = a.d0 / a.type.blockSize();
        int bytes = a.type.bytesPerBlock();
        // The stride over a single block is never taken, so that it may as well make the row a dense one.
        long s0 = d0 == 1 ? bytes : a.s0;
        return new StridedBlocks(a.address, bytes, d0, a.d1, a.d2, a.d3, s0, a.s1, a.s2, a.s3);
    }

    /** The blocks of another place in the same memory that are as many as those of {@code shape}. */
    StridedBlocks region(StridedBlocks shape, long offset) {
        return new StridedBlocks(address + offset, bytes, shape.d0, shape.d1, shape.d2, shape.d3, s0, s1, s2, s3);
    }

    boolean isShapedLike(StridedBlocks other) {
        return d0 == other.d0 && d1 == other.d1 && d2 == other.d2 && d3 == other.d3;
    }

    long rows() {
        return d1 * d2 * d3;
    }

    long rowBytes() {
        return d0 * bytes;
    }

    boolean hasDenseRows() {
        return s0 == bytes;
    }

    /** The address of row number {@code row}, counted with dimension 1 running fastest. */
    long row(long row) {
        long i3 = row / (d1 * d2);
        long i2 = (row - i3 * d1 * d2) / d1;
        long i1 = row - (i3 * d2 + i2) * d1;
        return at(i1, i2, i3);
    }

    long at(long i1, long i2, long i3) {
        return address + i1 * s1 + i2 * s2 + i3 * s3;
    }

    /** Whether no two rows share a byte, so that threads may write them at the same time. */
    boolean hasRowsApart() {
        return (d1 == 1 || s1 >= d0 * s0) && (d2 == 1 || s2 >= d1 * s1) && (d3 == 1 || s3 >= d2 * s2);
    }
}
