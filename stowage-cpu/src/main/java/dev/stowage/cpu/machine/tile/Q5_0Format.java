package dev.stowage.cpu.machine.tile;

import dev.stowage.cpu.machine.VectorRegister;

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
final class Q5_0Format<V extends VectorRegister<V>> extends TileFormat<V> {

    private static final int FIFTHS = 2;
    private static final int NIBBLES = 6;

    private static final int FOUR_BITS = 15;
    private static final int SPREAD = 0x00204081 << 4;
    private static final int FIFTH_BITS = 0x10101010;

    Q5_0Format(TileCode<V> tile) {
        super(tile);
    }

    @Override
    int[] constants() {
        return new int[] {LOW_NIBBLES, FOUR_BITS, SPREAD, FIFTH_BITS};
    }

    @Override
    void unpack(int part) {
        loadHalves(tile.rowScale(), 0);
        unpackPairs(NIBBLES);
        V bits = tile.temporary();
        for (int j = 0; j < TileCode.WEIGHTS; j++) {
            tile.shiftRight(bits, tile.inBlock(FIFTHS, 4), 4 * j);
            tile.and(bits, bits, FOUR_BITS);
            tile.code.vpmulld(bits, bits, tile.constant(SPREAD));
            tile.insert(tile.weights(j), bits, FIFTH_BITS);
        }
    }
}
