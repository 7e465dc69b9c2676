package dev.stowage.cpu.weights;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * How the rows of a quantised matrix are interleaved: of every 32 rows the first bytes come first, then the second bytes,
 * and so on through a block, and then the next block.
 *
 * <pre>
 *   row 0   a0 a1 a2 ...│a'0 a'1 ...           a0 b0 c0 ...   one plane: 32 bytes, one of each row
 *   row 1   b0 b1 b2 ...│b'0 b'1 ...    ──►    a1 b1 c1 ...
 *   row 2   c0 c1 c2 ...│c'0 c'1 ...           ...            as many planes as a block has bytes
 *   ...                                        a'0 b'0 ...    then the next block
 * </pre>
 *
 * In a paired interleaving row i and row i + 16 are next to each other in a plane, which is how kernels want it that take
 * a plane as 16 pairs of 16-bit numbers. Planes may come in another order than the bytes of a block, so that a kernel goes
 * through them from the first to the last. Every byte has one place, so any part can be written and read.
 */
final class Interleaving {

    /** Rows that are interleaved with each other. */
    static final int ROWS = 32;

    private final int blockBytes;
    private final long rowBytes;
    private final boolean paired;
    private final int[] planes;

    /** The interleaving of rows of that many bytes; {@code planes} has the number of the plane of each byte of a block. */
    private Interleaving(long rowBytes, boolean paired, int[] planes) {
        this.blockBytes = planes.length;
        this.rowBytes = rowBytes;
        this.paired = paired;
        this.planes = planes;
    }

    /** The interleaving that kernels have for matrices of such a layout, if there is one. */
    static Optional<Interleaving> of(Layout layout) {
        boolean suits = layout.isContiguous()
                && !layout.shape().isEmpty()
                && layout.shape().d1() % ROWS == 0
                && hasKernel(layout.type());
        return suits
                ? Optional.of(new Interleaving(
                        layout.type().rowBytes(layout.shape().d0()),
                        layout.type() != ElementType.Q8_0,
                        planes(layout.type())))
                : Optional.empty();
    }

    static boolean hasKernel(ElementType type) {
        return switch (type) {
            case Q4_0, Q8_0, Q4_K, Q6_K -> true;
            default -> false;
        };
    }

    private static int[] planes(ElementType type) {
        int[] planes = new int[type.bytesPerBlock()];
        for (int i = 0; i < planes.length; i++) {
            planes[i] = type == ElementType.Q6_K ? planeOfQ6K(i) : i;
        }
        return planes;
    }

    /** Scale and factors come first, and then for each step of the kernel two planes of lower bits and one of upper ones. */
    private static int planeOfQ6K(int index) {
        if (index >= 208) {
            return index - 208;
        }
        if (index >= 192) {
            return 2 + index - 192;
        }
        int half = index < 128 ? index / 64 : (index - 128) / 32;
        int third = index < 128 ? index % 64 / 32 : 2;
        return 18 + half * 96 + index % 32 * 3 + third;
    }

    private int lane(int row) {
        return paired ? row % (ROWS / 2) * 2 + row / (ROWS / 2) : row;
    }

    /** Where the bytes of a block go that has the byte at an offset of the matrix; the planes follow it. */
    private long block(long offset) {
        long row = offset / rowBytes;
        long block = (offset - row * rowBytes) / blockBytes;
        return row / ROWS * ROWS * rowBytes + block * ROWS * blockBytes + lane((int) (row % ROWS));
    }

    private int inBlock(long offset) {
        return (int) (offset % rowBytes % blockBytes);
    }

    /** Writes bytes of a matrix from {@code offset} on, which is stored interleaved at an address. */
    void write(long matrix, long offset, MemorySegment source) {
        long length = source.byteSize();
        for (long at = 0; at < length; ) {
            long block = matrix + block(offset + at);
            for (int i = inBlock(offset + at); i < blockBytes && at < length; i++, at++) {
                Memory.setByte(block + (long) planes[i] * ROWS, source.get(ValueLayout.JAVA_BYTE, at));
            }
        }
    }

    /** Reads bytes of a matrix from {@code offset} on, which is stored interleaved at an address. */
    void read(long matrix, long offset, MemorySegment target) {
        long length = target.byteSize();
        for (long at = 0; at < length; ) {
            long block = matrix + block(offset + at);
            for (int i = inBlock(offset + at); i < blockBytes && at < length; i++, at++) {
                target.set(ValueLayout.JAVA_BYTE, at, Memory.getByte(block + (long) planes[i] * ROWS));
            }
        }
    }

    /** Sets bytes of a matrix from {@code offset} on, which is stored interleaved at an address. */
    void fill(long matrix, long offset, long length, byte value) {
        for (long at = offset; at < offset + length; at++) {
            Memory.setByte(matrix + block(at) + (long) planes[inBlock(at)] * ROWS, value);
        }
    }
}
