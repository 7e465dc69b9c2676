package dev.stowage.cpu.machine.tile;

import dev.stowage.cpu.machine.VectorRegister;

/**
 * Weights of q5_K. A block of 16 rows and 256 elements: as q4_K, with eight registers between factors and nibbles, whose
 * bits 0 to 7 are the uppermost bits of the eight parts.
 */
final class Q5_KFormat<V extends VectorRegister<V>> extends TileFormat<V> {

    private static final int FIFTHS = 16;
    private static final int NIBBLES = 48;

    private static final int FIFTH_BITS = 0x10101010;

    private final SixBits<V> factors;

    Q5_KFormat(TileCode<V> tile) {
        super(tile);
        this.factors = new SixBits<>(this);
    }

    @Override
    int[] constants() {
        return new int[] {LOW_NIBBLES, SixBits.UPPER_BITS, SixBits.ALL_BITS, FIFTH_BITS};
    }

    @Override
    void unpack(int part) {
        factors.unpack(part);
        unpackHalves(NIBBLES + part / 2 * 32, part % 2 == 1);
        insertBits(FIFTHS, 4 - part, FIFTH_BITS);
    }
}
