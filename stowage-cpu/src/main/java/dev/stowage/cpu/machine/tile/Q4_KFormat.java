package dev.stowage.cpu.machine.tile;

import dev.stowage.cpu.machine.VectorRegister;

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
final class Q4_KFormat<V extends VectorRegister<V>> extends TileFormat<V> {

    private static final int NIBBLES = 16;

    private final SixBits<V> factors;

    Q4_KFormat(TileCode<V> tile) {
        super(tile);
        this.factors = new SixBits<>(this);
    }

    @Override
    int[] constants() {
        return new int[] {LOW_NIBBLES, SixBits.UPPER_BITS, SixBits.ALL_BITS};
    }

    @Override
    void unpack(int part) {
        factors.unpack(part);
        unpackHalves(NIBBLES + part / 2 * 32, part % 2 == 1);
    }
}
