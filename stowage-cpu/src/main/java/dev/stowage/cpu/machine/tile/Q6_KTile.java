package dev.stowage.cpu.machine.tile;

import static dev.stowage.cpu.machine.Zmm.zmm;

import dev.stowage.cpu.machine.Zmm;

/**
 * Weights of q6_K. A block of 16 rows and 256 elements, in two halves of 128:
 *
 * <pre>
 *   nibbles   2 x 16 registers; byte e of register j of 8 has elements 4j + e of part 0 and, in the upper bits, of part 2;
 *             the next 8 registers have parts 1 and 3
 *   crumbs    2 x 8 registers: bits 0, 1 for part 0, bits 2, 3 for part 1, and so on
 *   factors   16 x 16 signed bytes, one for every 16 elements of a row
 *   scales    16 halves
 * </pre>
 */
final class Q6_KTile extends TileCode {

    private static final int CRUMBS = 128;
    private static final int FACTORS = 192;
    private static final int SCALES = 208;

    private static final Zmm UPPER_BITS = zmm(30);
    private static final Zmm BLOCK_SCALE = zmm(29);

    Q6_KTile(int columns) {
        super(TileType.Q6_K, columns);
    }

    @Override
    void constants() {
        constant(LOW_NIBBLES, 0x0F0F0F0F);
        constant(UPPER_BITS, 0x30303030);
    }

    @Override
    void block() {
        code.vcvtph2ps(BLOCK_SCALE, inBlock(SCALES));
        for (int part = 0; part < 8; part++) {
            int half = part / 4;
            int inHalf = part % 4;
            factor(ROW_SCALE, 2 * part);
            factor(ROW_STEP, 2 * part + 1);
            Q4_KTile.nibbles(this, 64 * half + inHalf % 2 * 32, inHalf >= 2);
            for (int j = 0; j < 8; j++) {
                int from = CRUMBS + 32 * half + 4 * j;
                if (inHalf < 2) {
                    code.vpslld(TEMPORARY, inBlock(from), 4 - 2 * inHalf);
                } else {
                    code.vpsrld(TEMPORARY, inBlock(from), 2 * inHalf - 4);
                }
                code.vpternlogd(weights(j), TEMPORARY, UPPER_BITS, Q5_0Tile.OR_AND);
            }
            multiplyStep();
        }
    }

    private void factor(Zmm to, int index) {
        code.vpmovsxbd(to, inBlock(FACTORS + index));
        code.vcvtdq2ps(to, to);
        code.vmulps(to, to, BLOCK_SCALE);
    }
}
