package dev.stowage.cpu.machine.tile;

import dev.stowage.cpu.machine.VectorRegister;

/**
 * How weights of a type are unpacked: 32 elements of some rows from a block into eight registers of unsigned bytes, with the
 * scales of the rows. It is written with what a {@link TileCode} has for it, whatever the width of registers.
 *
 * @param <V> the registers
 */
abstract class TileFormat<V extends VectorRegister<V>> {

    static final int LOW_NIBBLES = 0x0F0F0F0F;

    final TileCode<V> tile;

    TileFormat(TileCode<V> tile) {
        this.tile = tile;
    }

    static <V extends VectorRegister<V>> TileFormat<V> of(TileType type, TileCode<V> tile) {
        return switch (type) {
            case Q4_0 -> new Q4_0Format<>(tile);
            case Q5_0 -> new Q5_0Format<>(tile);
            case Q8_0 -> new Q8_0Format<>(tile);
            case Q4_K -> new Q4_KFormat<>(tile);
            case Q5_K -> new Q5_KFormat<>(tile);
            case Q6_K -> new Q6_KFormat<>(tile);
        };
    }

    /** The numbers that are kept in registers while weights are unpacked; up to four. */
    abstract int[] constants();

    /** Unpacks the weights of elements 32 * part to 32 * part + 31 of a block. */
    abstract void unpack(int part);

    /** Loads halves as floats. */
    final void loadHalves(V to, int bytesPerRow) {
        tile.code.vcvtph2ps(to, tile.inBlock(bytesPerRow, 2));
    }

    /** Unpacks 16 bytes of every row that have elements in their lower bits, and those 16 further in their upper ones. */
    final void unpackPairs(int from) {
        for (int j = 0; j < 4; j++) {
            tile.and(tile.weights(j), tile.inBlock(from + 4 * j, 4), LOW_NIBBLES);
            tile.shiftRight(tile.weights(4 + j), tile.inBlock(from + 4 * j, 4), 4);
            tile.and(tile.weights(4 + j), tile.weights(4 + j), LOW_NIBBLES);
        }
    }

    /** Unpacks the lower or upper halves of 32 bytes of every row. */
    final void unpackHalves(int from, boolean upper) {
        for (int j = 0; j < TileCode.WEIGHTS; j++) {
            if (upper) {
                tile.shiftRight(tile.weights(j), tile.inBlock(from + 4 * j, 4), 4);
                tile.and(tile.weights(j), tile.weights(j), LOW_NIBBLES);
            } else {
                tile.and(tile.weights(j), tile.inBlock(from + 4 * j, 4), LOW_NIBBLES);
            }
        }
    }

    /** Adds bits from 32 bytes of every row, shifted to the left, or to the right by a negative number. */
    final void insertBits(int from, int shift, int mask) {
        V bits = tile.temporary();
        for (int j = 0; j < TileCode.WEIGHTS; j++) {
            if (shift >= 0) {
                tile.shiftLeft(bits, tile.inBlock(from + 4 * j, 4), shift);
            } else {
                tile.shiftRight(bits, tile.inBlock(from + 4 * j, 4), -shift);
            }
            tile.insert(tile.weights(j), bits, mask);
        }
    }
}
