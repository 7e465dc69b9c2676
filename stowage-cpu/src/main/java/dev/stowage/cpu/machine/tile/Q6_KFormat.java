package dev.stowage.cpu.machine.tile;

import dev.stowage.cpu.machine.VectorRegister;

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
final class Q6_KFormat<V extends VectorRegister<V>> extends TileFormat<V> {

    private static final int CRUMBS = 128;
    private static final int FACTORS = 192;
    private static final int SCALES = 208;

    private static final int UPPER_BITS = 0x30303030;

    Q6_KFormat(TileCode<V> tile) {
        super(tile);
    }

    @Override
    int[] constants() {
        return new int[] {LOW_NIBBLES, UPPER_BITS};
    }

    @Override
    void unpack(int part) {
        loadHalves(tile.temporary(), SCALES);
        factor(tile.rowScale(), 2 * part);
        factor(tile.rowStep(), 2 * part + 1);
        int half = part / 4;
        int inHalf = part % 4;
        unpackHalves(64 * half + inHalf % 2 * 32, inHalf >= 2);
        insertBits(CRUMBS + 32 * half, 4 - 2 * inHalf, UPPER_BITS);
    }

    private void factor(V to, int index) {
        tile.code.vpmovsxbd(to, tile.inBlock(FACTORS + index, 1));
        tile.code.vcvtdq2ps(to, to);
        tile.code.vmulps(to, to, tile.temporary());
    }
}
