package dev.stowage.cpu.kernel.copy;

import dev.stowage.cpu.kernel.Memory;

/**
 * Moves elements, or whole blocks of a quantised type, as they are: runs with a stride on either side, and matrices whose
 * rows are the columns of another.
 */
public final class MoveKernels {

    /** The edge of a tile in {@link #transposeInts}: as many floats as a cache line has. */
    public static final int TILE = 16;

    private MoveKernels() {}

    /** Copies {@code count} blocks of {@code bytes} bytes that are {@code fromStride} apart to places {@code toStride} apart. */
    public static void move(long from, long fromStride, long to, long toStride, long count, int bytes) {
        if (fromStride == bytes && toStride == bytes) {
            Memory.copy(from, to, count * bytes);
            return;
        }
        switch (bytes) {
            case 1 -> moveBytes(from, fromStride, to, toStride, count);
            case 2 -> moveShorts(from, fromStride, to, toStride, count);
            case 4 -> moveInts(from, fromStride, to, toStride, count);
            case 8 -> moveLongs(from, fromStride, to, toStride, count);
            default -> moveBlocks(from, fromStride, to, toStride, count, bytes);
        }
    }

    private static void moveBytes(long from, long fromStride, long to, long toStride, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setByte(to + i * toStride, Memory.getByte(from + i * fromStride));
        }
    }

    private static void moveShorts(long from, long fromStride, long to, long toStride, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setShort(to + i * toStride, Memory.getShort(from + i * fromStride));
        }
    }

    private static void moveInts(long from, long fromStride, long to, long toStride, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setInt(to + i * toStride, Memory.getInt(from + i * fromStride));
        }
    }

    private static void moveLongs(long from, long fromStride, long to, long toStride, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setLong(to + i * toStride, Memory.getLong(from + i * fromStride));
        }
    }

    private static void moveBlocks(long from, long fromStride, long to, long toStride, long count, int bytes) {
        for (long i = 0; i < count; i++) {
            Memory.copy(from + i * fromStride, to + i * toStride, bytes);
        }
    }

    /** Sets {@code count} blocks of {@code bytes} bytes that are {@code stride} apart to zero. */
    public static void zero(long to, long stride, long count, int bytes) {
        if (stride == bytes) {
            zero(to, count * bytes);
            return;
        }
        for (long i = 0; i < count; i++) {
            zero(to + i * stride, bytes);
        }
    }

    private static void zero(long to, long bytes) {
        long whole = bytes & -Long.BYTES;
        for (long i = 0; i < whole; i += Long.BYTES) {
            Memory.setLong(to + i, 0);
        }
        for (long i = whole; i < bytes; i++) {
            Memory.setByte(to + i, (byte) 0);
        }
    }

    /** Fills {@code bytes} bytes by going on with the first {@code period} of them, which are there. */
    public static void goOn(long to, long period, long bytes) {
        long done = period;
        while (done < bytes) {
            long next = Math.min(done, bytes - done);
            Memory.copy(to, to + done, next);
            done += next;
        }
    }

    /**
     * Writes {@code rows} dense rows of {@code columns} elements of four bytes, {@code toStride} apart, from a matrix in
     * which the elements of a column are contiguous and those of a row {@code fromStride} apart.
     */
    public static void transposeInts(long from, long fromStride, long to, long toStride, long rows, long columns) {
        for (long column = 0; column < columns; column += TILE) {
            long width = Math.min(TILE, columns - column);
            for (long row = 0; row < rows; row += TILE) {
                long height = Math.min(TILE, rows - row);
                long source = from + column * fromStride + row * 4;
                long target = to + row * toStride + column * 4;
                if (width == TILE && height == TILE) {
                    wholeTile(source, fromStride, target, toStride);
                } else {
                    partOfTile(source, fromStride, target, toStride, height, width);
                }
            }
        }
    }

    /** Two by two elements at a time: half the loads and half the stores. */
    private static void wholeTile(long from, long fromStride, long to, long toStride) {
        for (int row = 0; row < TILE; row += 2) {
            long upper = to + row * toStride;
            long lower = upper + toStride;
            long source = from + row * 4L;
            for (int column = 0; column < TILE; column += 2) {
                long first = Memory.getLong(source);
                long second = Memory.getLong(source + fromStride);
                Memory.setLong(upper + column * 4L, (first & 0xFFFF_FFFFL) | (second << 32));
                Memory.setLong(lower + column * 4L, (first >>> 32) | (second & 0xFFFF_FFFF_0000_0000L));
                source += 2 * fromStride;
            }
        }
    }

    private static void partOfTile(long from, long fromStride, long to, long toStride, long rows, long columns) {
        for (long row = 0; row < rows; row++) {
            moveInts(from + row * 4, fromStride, to + row * toStride, 4, columns);
        }
    }

    /** As {@link #transposeInts}, with elements of two bytes. */
    public static void transposeShorts(long from, long fromStride, long to, long toStride, long rows, long columns) {
        for (long column = 0; column < columns; column += TILE) {
            long width = Math.min(TILE, columns - column);
            for (long row = 0; row < rows; row++) {
                long source = from + column * fromStride + row * 2;
                moveShorts(source, fromStride, to + row * toStride + column * 2, 2, width);
            }
        }
    }
}
