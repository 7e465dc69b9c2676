package dev.stowage.cpu.machine.tile;

import dev.stowage.cpu.machine.VectorRegister;

/**
 * Weights of q8_0. A block of 16 rows:
 *
 * <pre>
 *   scales    16 halves
 *   weights   8 registers; byte e of register j has element 4j + e, plus 128
 * </pre>
 */
final class Q8_0Format<V extends VectorRegister<V>> extends TileFormat<V> {

    private static final int FIRST_WEIGHTS = 2;

    Q8_0Format(TileCode<V> tile) {
        super(tile);
    }

    @Override
    int[] constants() {
        return new int[0];
    }

    @Override
    void unpack(int part) {
        loadHalves(tile.rowScale(), 0);
        for (int j = 0; j < TileCode.WEIGHTS; j++) {
            tile.code.vmovups(tile.weights(j), tile.inBlock(FIRST_WEIGHTS + 4 * j, 4));
        }
    }
}
