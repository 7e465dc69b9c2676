package dev.stowage.cpu.weights;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.machine.tile.TileKernels;
import dev.stowage.cpu.machine.tile.TileLayout;
import dev.stowage.cpu.machine.tile.TileType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * How the rows of a quantised matrix are interleaved. Vector kernels take planes: of every 32 rows the first bytes come
 * first, then the second bytes, and so on through a block, and then the next block.
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
 * through them from the first to the last. Machine code takes {@linkplain TileLayout tiles} of 16 rows. Every byte has one
 * place, so any part can be written and read.
 */
final class Interleaving {

    /** Rows of planes. */
    private static final int PLANE_ROWS = 32;

    /** Bytes that are moved at a time where they stay together. */
    private static final int WORD = Integer.BYTES;

    private static final ValueLayout.OfInt INT = Memory.INT;

    private final int rows;
    private final long rowBytes;
    private final boolean paired;

    /** For each byte of a block: where that of the first row goes, and how much further that of the next one. */
    private final int[] places;

    private final int[] steps;

    /** What is exclusive-ored to it. */
    private final byte[] inverted;

    /** Whether the byte and the next three stay together. */
    private final boolean[] isWord;

    private Interleaving(int rows, long rowBytes, boolean paired, int[] places, int[] steps, byte[] inverted) {
        this.rows = rows;
        this.rowBytes = rowBytes;
        this.paired = paired;
        this.places = places;
        this.steps = steps;
        this.inverted = inverted;
        this.isWord = new boolean[places.length];
        for (int i = 0; i + WORD <= places.length; i++) {
            isWord[i] = true;
            for (int next = 1; next < WORD; next++) {
                isWord[i] &= places[i + next] == places[i] + next
                        && steps[i + next] == steps[i]
                        && inverted[i + next] == inverted[i];
            }
        }
    }

    /** The planes of matrices of such a layout, if there are vector kernels for them. */
    static Optional<Interleaving> planes(Layout layout) {
        ElementType type = layout.type();
        boolean hasKernel = switch (type) {
            case Q4_0, Q8_0, Q4_K, Q6_K -> true;
            default -> false;
        };
        if (!hasKernel || !hasWholeGroups(layout, PLANE_ROWS)) {
            return Optional.empty();
        }
        int[] places = new int[type.bytesPerBlock()];
        int[] steps = new int[places.length];
        for (int i = 0; i < places.length; i++) {
            places[i] = PLANE_ROWS * (type == ElementType.Q6_K ? planeOfQ6K(i) : i);
            steps[i] = 1;
        }
        return Optional.of(new Interleaving(
                PLANE_ROWS, rowBytes(layout), type != ElementType.Q8_0, places, steps, new byte[places.length]));
    }

    /** The tiles of matrices of such a layout, if there is machine code for them. */
    static Optional<Interleaving> tiles(Layout layout) {
        return TileType.of(layout.type())
                .filter(_ -> hasWholeGroups(layout, TileKernels.Tile.ROWS))
                .filter(_ -> layout.shape().d0() <= TileKernels.Tile.LONGEST_ROW)
                .map(type -> {
                    int[] places = new int[layout.type().bytesPerBlock()];
                    int[] steps = new int[places.length];
                    byte[] inverted = new byte[places.length];
                    for (int i = 0; i < places.length; i++) {
                        places[i] = TileLayout.position(type, i, 0);
                        steps[i] = TileLayout.position(type, i, 1) - places[i];
                        inverted[i] = (byte) TileLayout.inverted(type, i);
                    }
                    return new Interleaving(TileKernels.Tile.ROWS, rowBytes(layout), false, places, steps, inverted);
                });
    }

    private static boolean hasWholeGroups(Layout layout, int rows) {
        return layout.isContiguous()
                && !layout.shape().isEmpty()
                && layout.shape().d1() % rows == 0;
    }

    private static long rowBytes(Layout layout) {
        return layout.type().rowBytes(layout.shape().d0());
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

    /** The number of a row in its group. */
    private int lane(long offset) {
        int row = (int) (offset / rowBytes % rows);
        return paired ? row % (rows / 2) * 2 + row / (rows / 2) : row;
    }

    /** Where the block of a group of rows begins that has the byte at an offset of the matrix. */
    private long block(long offset) {
        long row = offset / rowBytes;
        long block = (offset - row * rowBytes) / places.length;
        return row / rows * rows * rowBytes + block * rows * places.length;
    }

    private int inBlock(long offset) {
        return (int) (offset % rowBytes % places.length);
    }

    /** Writes bytes of a matrix from {@code offset} on, which is stored interleaved at an address. */
    void write(long matrix, long offset, MemorySegment source) {
        long length = source.byteSize();
        for (long at = 0; at < length; ) {
            long block = matrix + block(offset + at);
            int lane = lane(offset + at);
            for (int i = inBlock(offset + at); i < places.length && at < length; ) {
                long place = block + places[i] + (long) lane * steps[i];
                if (isWord[i] && at + WORD <= length) {
                    Memory.setInt(place, source.get(INT, at) ^ (inverted[i] & 0xFF) * 0x01010101);
                    i += WORD;
                    at += WORD;
                } else {
                    Memory.setByte(place, (byte) (source.get(ValueLayout.JAVA_BYTE, at) ^ inverted[i]));
                    i++;
                    at++;
                }
            }
        }
    }

    /** Reads bytes of a matrix from {@code offset} on, which is stored interleaved at an address. */
    void read(long matrix, long offset, MemorySegment target) {
        long length = target.byteSize();
        for (long at = 0; at < length; ) {
            long block = matrix + block(offset + at);
            int lane = lane(offset + at);
            for (int i = inBlock(offset + at); i < places.length && at < length; ) {
                long place = block + places[i] + (long) lane * steps[i];
                if (isWord[i] && at + WORD <= length) {
                    target.set(INT, at, Memory.getInt(place) ^ (inverted[i] & 0xFF) * 0x01010101);
                    i += WORD;
                    at += WORD;
                } else {
                    target.set(ValueLayout.JAVA_BYTE, at, (byte) (Memory.getByte(place) ^ inverted[i]));
                    i++;
                    at++;
                }
            }
        }
    }

    /** Sets bytes of a matrix from {@code offset} on, which is stored interleaved at an address. */
    void fill(long matrix, long offset, long length, byte value) {
        for (long at = offset; at < offset + length; at++) {
            int i = inBlock(at);
            Memory.setByte(matrix + block(at) + places[i] + (long) lane(at) * steps[i], (byte) (value ^ inverted[i]));
        }
    }
}
