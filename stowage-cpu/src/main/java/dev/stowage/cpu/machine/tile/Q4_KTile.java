package dev.stowage.cpu.machine.tile;

/**
 * Weights of q4_K. A block of 16 rows and 256 elements:
 *
 * <pre>
 *   scales    16 halves
 *   steps     16 halves
 *   factors   12 x 16 bytes, which have 8 factors of six bits for the scale and 8 for the step down; see {@link SixBits}
 *   nibbles   4 x 8 registers; byte e of register j has element 4j + e of 32, and in the upper bits that of the next 32
 * </pre>
 */
final class Q4_KTile extends TileCode {

    private static final int NIBBLES = 16;

    private final SixBits factors = new SixBits(this);

    Q4_KTile(int columns) {
        super(TileType.Q4_K, columns);
    }

    @Override
    void constants() {
        factors.constants();
    }

    @Override
    void block() {
        for (int part = 0; part < 8; part++) {
            factors.unpack(part);
            nibbles(this, NIBBLES + part / 2 * 32, part % 2 == 1);
            multiplyStep();
        }
    }

    /** Unpacks the lower or upper halves of 32 bytes of every row. */
    static void nibbles(TileCode tile, int from, boolean upper) {
        for (int j = 0; j < 8; j++) {
            if (upper) {
                tile.code.vpsrld(weights(j), inBlock(from + 4 * j), 4);
                tile.code.vpandd(weights(j), weights(j), LOW_NIBBLES);
            } else {
                tile.code.vpandd(weights(j), LOW_NIBBLES, inBlock(from + 4 * j));
            }
        }
    }
}
