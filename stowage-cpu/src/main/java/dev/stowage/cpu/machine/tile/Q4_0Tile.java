package dev.stowage.cpu.machine.tile;

/**
 * Weights of q4_0. A block of 16 rows:
 *
 * <pre>
 *   scales    16 halves
 *   nibbles   4 registers; byte e of register j has elements 4j + e and, in the upper bits, 16 + 4j + e
 * </pre>
 */
final class Q4_0Tile extends TileCode {

    private static final int NIBBLES = 2;

    Q4_0Tile(int columns) {
        super(TileType.Q4_0, columns);
    }

    @Override
    void constants() {
        constant(LOW_NIBBLES, 0x0F0F0F0F);
    }

    @Override
    void block() {
        code.vcvtph2ps(ROW_SCALE, inBlock(0));
        for (int j = 0; j < 4; j++) {
            code.vpandd(weights(j), LOW_NIBBLES, inBlock(NIBBLES + 4 * j));
            code.vpsrld(weights(4 + j), inBlock(NIBBLES + 4 * j), 4);
            code.vpandd(weights(4 + j), weights(4 + j), LOW_NIBBLES);
        }
        multiplyStep();
    }
}
