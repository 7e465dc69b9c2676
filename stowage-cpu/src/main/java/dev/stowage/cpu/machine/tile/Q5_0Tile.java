package dev.stowage.cpu.machine.tile;

import static dev.stowage.cpu.machine.Zmm.zmm;

import dev.stowage.cpu.machine.Zmm;

/**
 * Weights of q5_0. A block of 16 rows:
 *
 * <pre>
 *   scales    16 halves
 *   fifths    1 register: for every row the uppermost bits of its 32 elements
 *   nibbles   4 registers, as q4_0 has them
 * </pre>
 *
 * Four bits become one in each of four bytes by a product with 1 + 2^7 + 2^14 + 2^21, which puts bit e to bit 8e and others
 * elsewhere.
 */
final class Q5_0Tile extends TileCode {

    private static final int FIFTHS = 2;
    private static final int NIBBLES = 6;

    private static final Zmm FOUR_BITS = zmm(28);
    private static final Zmm SPREAD = zmm(29);
    private static final Zmm FIFTH_BITS = zmm(30);

    /** to | (a & b) */
    static final int OR_AND = 0xF8;

    Q5_0Tile(int columns) {
        super(TileType.Q5_0, columns);
    }

    @Override
    void constants() {
        constant(LOW_NIBBLES, 0x0F0F0F0F);
        constant(FOUR_BITS, 15);
        constant(SPREAD, 0x00204081 << 4);
        constant(FIFTH_BITS, 0x10101010);
    }

    @Override
    void block() {
        code.vcvtph2ps(ROW_SCALE, inBlock(0));
        for (int j = 0; j < 4; j++) {
            code.vpandd(weights(j), LOW_NIBBLES, inBlock(NIBBLES + 4 * j));
            code.vpsrld(weights(4 + j), inBlock(NIBBLES + 4 * j), 4);
            code.vpandd(weights(4 + j), weights(4 + j), LOW_NIBBLES);
        }
        for (int j = 0; j < 8; j++) {
            code.vpsrld(TEMPORARY, inBlock(FIFTHS), 4 * j);
            code.vpandd(TEMPORARY, TEMPORARY, FOUR_BITS);
            code.vpmulld(TEMPORARY, TEMPORARY, SPREAD);
            code.vpternlogd(weights(j), TEMPORARY, FIFTH_BITS, OR_AND);
        }
        multiplyStep();
    }
}
