package dev.stowage.cpu.machine.tile;

import static dev.stowage.cpu.machine.Zmm.zmm;

import dev.stowage.cpu.machine.Zmm;

/**
 * Weights of q5_K. A block of 16 rows and 256 elements: as q4_K, with eight registers between factors and nibbles, whose
 * bits 0 to 7 are the uppermost bits of the eight parts.
 */
final class Q5_KTile extends TileCode {

    private static final int FIFTHS = 16;
    private static final int NIBBLES = 48;

    private static final Zmm FIFTH_BITS = zmm(29);

    private final SixBits factors = new SixBits(this);

    Q5_KTile(int columns) {
        super(TileType.Q5_K, columns);
    }

    @Override
    void constants() {
        factors.constants();
        constant(FIFTH_BITS, 0x10101010);
    }

    @Override
    void block() {
        for (int part = 0; part < 8; part++) {
            factors.unpack(part);
            Q4_KTile.nibbles(this, NIBBLES + part / 2 * 32, part % 2 == 1);
            for (int j = 0; j < 8; j++) {
                if (part < 4) {
                    code.vpslld(TEMPORARY, inBlock(FIFTHS + 4 * j), 4 - part);
                } else {
                    code.vpsrld(TEMPORARY, inBlock(FIFTHS + 4 * j), part - 4);
                }
                code.vpternlogd(weights(j), TEMPORARY, FIFTH_BITS, Q5_0Tile.OR_AND);
            }
            multiplyStep();
        }
    }
}
