package dev.stowage.cpu.machine.tile;

/**
 * Weights of q8_0. A block of 16 rows:
 *
 * <pre>
 *   scales    16 halves
 *   weights   8 registers; byte e of register j has element 4j + e, plus 128
 * </pre>
 */
final class Q8_0Tile extends TileCode {

    private static final int WEIGHTS = 2;

    Q8_0Tile(int columns) {
        super(TileType.Q8_0, columns);
    }

    @Override
    void constants() {
        // There are none: bytes need no unpacking.
    }

    @Override
    void block() {
        code.vcvtph2ps(ROW_SCALE, inBlock(0));
        for (int j = 0; j < 8; j++) {
            code.vmovups(weights(j), inBlock(WEIGHTS + 4 * j));
        }
        multiplyStep();
    }
}
