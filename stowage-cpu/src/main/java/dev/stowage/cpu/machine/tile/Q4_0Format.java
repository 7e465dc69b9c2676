package dev.stowage.cpu.machine.tile;

import dev.stowage.cpu.machine.VectorRegister;

/**
 * Weights of q4_0. A block of 16 rows:
 *
 * <pre>
 *   scales    16 halves
 *   nibbles   4 registers; byte e of register j has elements 4j + e and, in the upper bits, 16 + 4j + e
 * </pre>
 */
final class Q4_0Format<V extends VectorRegister<V>> extends TileFormat<V> {

    private static final int NIBBLES = 2;

    Q4_0Format(TileCode<V> tile) {
        super(tile);
    }

    @Override
    int[] constants() {
        return new int[] {LOW_NIBBLES};
    }

    @Override
    void unpack(int part) {
        loadHalves(tile.rowScale(), 0);
        unpackPairs(NIBBLES);
    }
}
