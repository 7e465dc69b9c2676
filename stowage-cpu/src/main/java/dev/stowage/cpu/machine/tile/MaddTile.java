package dev.stowage.cpu.machine.tile;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Gp.RSP;
import static dev.stowage.cpu.machine.Ymm.ymm;

import dev.stowage.cpu.machine.Address;
import dev.stowage.cpu.machine.Ymm;

/**
 * Tiles for AVX2 without a dot product of bytes. Pairs of products are added up to words of 16 bits, which the instruction
 * would cut off beyond 32,767; numbers of columns are -127 to 127. So of weights up to
 *
 * <pre>
 *    15   8 registers are added before words become sums of 32 bits    8 * 2 * 127 * 15 = 30,480
 *    31   4                                                            4 * 2 * 127 * 31 = 31,496
 *    63   2                                                            2 * 2 * 127 * 63 = 32,004
 *   255   none: their sizes are multiplied, and their signs are given to the numbers of the columns,
 *         which is exact too                                               2 * 127 * 128 = 32,512
 * </pre>
 */
final class MaddTile extends HalfTile {

    private static final int TOGETHER = 2;

    private static final int FIRST_WORDS = 10;
    private static final int FIRST_NUMBERS = 12;

    private static final int LARGEST_WORD = Short.MAX_VALUE;
    private static final int LARGEST_NUMBER = 127;

    private static final Ymm ONES = ymm(15);
    private static final Address SIGN_BITS = kept(1);

    /** Registers whose pairs of products can be added in 16 bits; 0 if not even one's can. */
    private final int inWords;

    MaddTile(TileType type, int columns) {
        super(type, columns, TOGETHER);
        this.inWords = Integer.highestOneBit(LARGEST_WORD / (2 * LARGEST_NUMBER * type.largest));
    }

    private boolean isSigned() {
        return inWords == 0;
    }

    @Override
    void begin() {
        super.begin();
        keep(0, 0x00010001);
        keep(1, 0x80808080);
    }

    @Override
    void prepareWeights() {
        code.vmovups(ONES, kept(0));
        for (int j = 0; j < WEIGHTS && isSigned(); j++) {
            code.vpxor(weights(j), weights(j), SIGN_BITS);
            code.vmovups(signed(j), weights(j));
            code.vpabsb(weights(j), weights(j));
        }
    }

    private static Address signed(int index) {
        return at(RSP, SIGNED + index * V);
    }

    private static Ymm words(int index) {
        return ymm(FIRST_WORDS + index);
    }

    @Override
    void sums(int first, int count, int from, int to, int extra) {
        for (int i = 0; i < count; i++) {
            // Signed weights have no offset to correct.
            if (isSigned() || type.extra == TileType.Extra.SCALED_SUM) {
                code.vpxor(sum(i), sum(i), sum(i));
            } else {
                code.vpbroadcastd(sum(i), extra(first + i, extra));
            }
        }
        int group = Math.max(1, Math.min(inWords, to - from));
        for (int j = from; j < to; j++) {
            for (int i = 0; i < count; i++) {
                multiply(i, first + i, j, (j - from) % group == 0);
            }
            for (int i = 0; i < count && (j + 1 - from) % group == 0; i++) {
                code.vpmaddwd(words(i), words(i), ONES);
                code.vpaddd(sum(i), sum(i), words(i));
            }
        }
    }

    private void multiply(int i, int column, int j, boolean isFirst) {
        Ymm numbers = ymm(FIRST_NUMBERS + i);
        code.vpbroadcastd(numbers, numbers(column, j));
        if (isSigned()) {
            code.vpsignb(numbers, numbers, signed(j));
        }
        if (isFirst) {
            code.vpmaddubsw(words(i), weights(j), numbers);
        } else {
            code.vpmaddubsw(numbers, weights(j), numbers);
            code.vpaddw(words(i), words(i), numbers);
        }
    }
}
