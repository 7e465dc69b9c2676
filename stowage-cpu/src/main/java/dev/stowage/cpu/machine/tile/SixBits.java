package dev.stowage.cpu.machine.tile;

import static dev.stowage.cpu.machine.Zmm.zmm;
import static dev.stowage.cpu.machine.tile.TileCode.LOW_NIBBLES;
import static dev.stowage.cpu.machine.tile.TileCode.ROW_SCALE;
import static dev.stowage.cpu.machine.tile.TileCode.ROW_STEP;
import static dev.stowage.cpu.machine.tile.TileCode.TEMPORARY;
import static dev.stowage.cpu.machine.tile.TileCode.inBlock;

import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Zmm;

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
final class SixBits {

    private static final int STEPS = 2;
    private static final int FACTORS = 4;

    private static final Zmm UPPER_BITS = zmm(30);

    /** to & (a | b) */
    private static final int AND_OR = 0xE0;

    private final TileCode tile;
    private final Assembler code;

    SixBits(TileCode tile) {
        this.tile = tile;
        this.code = tile.code;
    }

    void constants() {
        tile.constant(LOW_NIBBLES, 0x0F0F0F0F);
        tile.constant(UPPER_BITS, 0x30303030);
    }

    /** Computes the scales and steps of a part, 0 to 7. */
    void unpack(int part) {
        if (part < 4) {
            lower(ROW_SCALE, part);
            lower(ROW_STEP, part + 4);
        } else {
            code.vpmovzxbd(ROW_SCALE, inBlock(FACTORS + part + 4));
            code.vpsrld(ROW_STEP, ROW_SCALE, 4);
            code.vpandd(ROW_SCALE, ROW_SCALE, LOW_NIBBLES);
            addUpper(ROW_SCALE, part - 4);
            addUpper(ROW_STEP, part);
        }
        code.vcvtdq2ps(ROW_SCALE, ROW_SCALE);
        code.vcvtph2ps(TEMPORARY, inBlock(0));
        code.vmulps(ROW_SCALE, ROW_SCALE, TEMPORARY);
        code.vcvtdq2ps(ROW_STEP, ROW_STEP);
        code.vcvtph2ps(TEMPORARY, inBlock(STEPS));
        code.vmulps(ROW_STEP, ROW_STEP, TEMPORARY);
    }

    private void lower(Zmm to, int from) {
        code.vpmovzxbd(to, inBlock(FACTORS + from));
        code.vpternlogd(to, LOW_NIBBLES, UPPER_BITS, AND_OR);
    }

    private void addUpper(Zmm to, int from) {
        code.vpmovzxbd(TEMPORARY, inBlock(FACTORS + from));
        code.vpsrld(TEMPORARY, TEMPORARY, 2);
        code.vpternlogd(to, TEMPORARY, UPPER_BITS, Q5_0Tile.OR_AND);
    }
}
