package dev.stowage.cpu.machine.tile;

import dev.stowage.cpu.machine.VectorRegister;

/**
 * Unpacks the factors of q4_K and q5_K: of each of eight parts of a block one for the scale and one for the step down, of
 * six bits each, in 12 bytes a row.
 *
 * <pre>
 *   byte   0..3     4..7     8..11
 *        ┌────────┬────────┬─────────┐
 *   0..5 │ scale  │ step   │ 0..3: lower bits of scale 4..7
 *        │ 0..3   │ 0..3   │ 4..7: lower bits of step 4..7
 *   6..7 │ upper bits of   │
 *        │ scale    step   │
 *        │ 4..7     4..7   │
 * </pre>
 */
final class SixBits<V extends VectorRegister<V>> {

    static final int UPPER_BITS = 0x30303030;
    static final int ALL_BITS = 0x3F3F3F3F;

    private static final int STEPS = 2;
    private static final int FACTORS = 4;

    private final TileFormat<V> format;
    private final TileCode<V> tile;

    SixBits(TileFormat<V> format) {
        this.format = format;
        this.tile = format.tile;
    }

    /** Computes the scales and steps of a part, 0 to 7. */
    void unpack(int part) {
        V scale = tile.rowScale();
        V step = tile.rowStep();
        if (part < 4) {
            load(scale, part);
            tile.and(scale, scale, ALL_BITS);
            load(step, part + 4);
            tile.and(step, step, ALL_BITS);
        } else {
            load(scale, part + 4);
            tile.shiftRight(step, scale, 4);
            tile.and(scale, scale, TileFormat.LOW_NIBBLES);
            insertUpper(scale, part - 4);
            insertUpper(step, part);
        }
        multiply(scale, 0);
        multiply(step, STEPS);
    }

    private void load(V to, int index) {
        tile.code.vpmovzxbd(to, tile.inBlock(FACTORS + index, 1));
    }

    private void insertUpper(V to, int index) {
        load(tile.temporary(), index);
        tile.shiftRight(tile.temporary(), tile.temporary(), 2);
        tile.insert(to, tile.temporary(), UPPER_BITS);
    }

    private void multiply(V factor, int halves) {
        tile.code.vcvtdq2ps(factor, factor);
        format.loadHalves(tile.temporary(), halves);
        tile.code.vmulps(factor, factor, tile.temporary());
    }
}
