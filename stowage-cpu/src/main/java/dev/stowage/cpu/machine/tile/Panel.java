package dev.stowage.cpu.machine.tile;

/**
 * Some columns side by side, rounded to eight bits, as a tile is multiplied with them. For every 32 elements:
 *
 * <pre>
 *   numbers   columns x 32 bytes   those of the first column, then those of the second, ...
 *   scales    columns x 4 bytes    what the numbers of a column are multiplied with: floats
 *   extras    columns x 4 bytes    see {@link TileType.Extra}; a second row of them for two
 * </pre>
 *
 * so that code reaches all of it at constant distances from one pointer.
 */
public final class Panel {

    /** Elements of a step. */
    public static final int STEP = 32;

    /** The most columns that a panel can have: as many as there are registers for the sums of a tile. */
    public static final int MOST_COLUMNS = 12;

    private Panel() {}

    /** The bytes of a step. */
    public static int stepBytes(TileType type, int columns) {
        return columns * (STEP + Float.BYTES + type.extra.count * Integer.BYTES);
    }

    /** The bytes of a panel for columns of that many elements. */
    public static long bytes(TileType type, int columns, long elements) {
        return elements / STEP * stepBytes(type, columns);
    }

    static int numbers(int column) {
        return column * STEP;
    }

    static int scale(int columns, int column) {
        return columns * STEP + column * Float.BYTES;
    }

    static int extra(int columns, int column, int index) {
        return scale(columns, column) + (1 + index) * columns * Float.BYTES;
    }
}
