package dev.stowage.cpu.machine.tile;

import static dev.stowage.cpu.machine.Ymm.ymm;

import dev.stowage.cpu.machine.Ymm;

/** Tiles for AVX-VNNI: the dot product of bytes of AVX-512, on 8 rows and without numbers repeated from memory. */
final class VnniTile extends HalfTile {

    private static final int TOGETHER = 4;
    private static final int FIRST_NUMBERS = 12;

    VnniTile(TileType type, int columns) {
        super(type, columns, TOGETHER);
    }

    @Override
    void sums(int first, int count, int from, int to, int extra) {
        for (int i = 0; i < count; i++) {
            if (type.extra == TileType.Extra.SCALED_SUM) {
                code.vpxor(sum(i), sum(i), sum(i));
            } else {
                code.vpbroadcastd(sum(i), extra(first + i, extra));
            }
        }
        for (int j = from; j < to; j++) {
            for (int i = 0; i < count; i++) {
                Ymm numbers = ymm(FIRST_NUMBERS + i);
                code.vpbroadcastd(numbers, numbers(first + i, j));
                code.vpdpbusdVex(sum(i), weights(j), numbers);
            }
        }
    }
}
