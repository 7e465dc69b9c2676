package dev.stowage.cpu.machine.tile;

/**
 * How 16 rows of weights are interleaved for {@linkplain TileCode tiles}: block by block, and within a block section by
 * section, a unit of each row at a time.
 *
 * <pre>
 *   row 0   s s│a a a a b b b b ...           s s s' s' ...               scales: units of 2 bytes
 *   row 1   s's'│a'a'a'a'b'b'b'b'...    ──►   a a a a a'a'a'a' ...        weights: units of 4 bytes, a register each
 *   ...                                       b b b b b'b'b'b' ...
 * </pre>
 *
 * Every byte has one place. Weights of q8_0 are stored with their sign bit inverted, which adds 128 to them.
 */
public final class TileLayout {

    private static final int SIGN = 0x80;

    private TileLayout() {}

    /** Where byte {@code index} of a block of a row goes, counted from the beginning of the block of all 16 rows. */
    public static int position(TileType type, int index, int row) {
        int start = sectionStart(type, index);
        int unit = unit(type, index);
        int inSection = index - start;
        return TileCode.ROWS * (start + inSection / unit * unit) + row * unit + inSection % unit;
    }

    /** What is exclusive-ored to byte {@code index} of a block. */
    public static int inverted(TileType type, int index) {
        return type == TileType.Q8_0 && index >= 2 ? SIGN : 0;
    }

    /** Whether byte {@code index} of a block is of a scale, which is a half. */
    static boolean isHalf(TileType type, int index) {
        return unit(type, index) == Short.BYTES;
    }

    /** Bytes of a row that stay together. */
    private static int unit(TileType type, int index) {
        return switch (type) {
            case Q4_0, Q5_0, Q8_0 -> index < 2 ? 2 : 4;
            case Q4_K, Q5_K -> index < 4 ? 2 : index < 16 ? 1 : 4;
            case Q6_K -> index < 192 ? 4 : index < 208 ? 1 : 2;
        };
    }

    private static int sectionStart(TileType type, int index) {
        return switch (type) {
            case Q4_0, Q5_0, Q8_0 -> index < 2 ? 0 : 2;
            case Q4_K, Q5_K -> index < 4 ? 0 : index < 16 ? 4 : 16;
            case Q6_K -> index < 192 ? 0 : index < 208 ? 192 : 208;
        };
    }
}
