package dev.stowage.cuda.memory.unit;

/** The part of {@link UnitModel} for blocks of 256 weights, whose bits are in another order in units. */
final class KQuantModel {

    private KQuantModel() {}

    /** One lane of one row, of the block at {@code at}. */
    static void pack(UnitFormat format, byte[] block, int at, byte[] unit, int to, int lanes, int lane, int row) {
        if (format == UnitFormat.Q6_K) {
            packSix(block, at, unit, to, lanes, lane, row);
            return;
        }
        boolean hasFifth = format == UnitFormat.Q5_K;
        int levels = at + (hasFifth ? 48 : 16) + (lane >> 1 & 3) * 32;
        int shift = (lane & 1) * 4;
        for (int i = 0; i < 16; i++) {
            int low = block[levels + i] >> shift & 15;
            int high = block[levels + 16 + i] >> shift & 15;
            unit[to + (row * lanes + lane) * 16 + i] = (byte) (low | high << 4);
        }
        if (hasFifth) {
            for (int byteOf = 0; byteOf < 4; byteOf++) {
                int bits = 0;
                for (int j = 0; j < 8; j++) {
                    bits |= (block[at + 16 + 4 * j + byteOf] >> (lane & 7) & 1) << j;
                }
                unit[to + 64 * lanes + lane * 16 + row * 4 + byteOf] = (byte) bits;
            }
        }
        packAffine(block, at, unit, to + (hasFifth ? 80 : 64) * lanes, lanes, lane, row);
    }

    private static void packAffine(byte[] block, int at, byte[] unit, int to, int lanes, int lane, int row) {
        int sub = lane & 7;
        int s = at + 4;
        int scale = sub < 4 ? block[s + sub] & 63 : (block[s + sub + 4] & 15) | (block[s + sub - 4] & 255) >> 6 << 4;
        int min =
                sub < 4 ? block[s + sub + 4] & 63 : (block[s + sub + 4] & 255) >> 4 | (block[s + sub] & 255) >> 6 << 4;
        unit[to + lane * 4 + row] = (byte) (scale | (min & 3) << 6);
        int high = to + 4 * lanes + lane * 2 + (row >> 1);
        int shift = (row & 1) * 4;
        unit[high] = (byte) ((unit[high] & ~(15 << shift)) | ((min >> 2) << shift));
        if (sub == 0) {
            System.arraycopy(block, at, unit, to + 6 * lanes + (lane >> 3) * 16 + row * 4, 4);
        }
    }

    private static void packSix(byte[] block, int at, byte[] unit, int to, int lanes, int lane, int row) {
        int n = lane >> 2 & 1;
        int g = lane & 3;
        int low = at + 64 * n + 32 * (g & 1);
        int shift = (g >> 1) * 4;
        for (int i = 0; i < 16; i++) {
            unit[to + (row * lanes + lane) * 16 + i] =
                    (byte) (((block[low + i] >> shift) & 15) | (((block[low + 16 + i] >> shift) & 15) << 4));
        }
        for (int b = 0; b < 8; b++) {
            int bits = 0;
            for (int j = 0; j < 4; j++) {
                bits |= ((block[at + 128 + 32 * n + (b >> 2) * 16 + 4 * j + (b & 3)] >> (2 * g)) & 3) << (2 * j);
            }
            unit[to + 64 * lanes + ((row >> 1) * lanes + lane) * 16 + (row & 1) * 8 + b] = (byte) bits;
        }
        System.arraycopy(block, at + 192 + (lane & 7) * 2, unit, to + 96 * lanes + lane * 8 + row * 2, 2);
        if ((lane & 7) == 0) {
            System.arraycopy(block, at + 208, unit, to + 104 * lanes + (lane >> 3) * 8 + row * 2, 2);
        }
    }

    /** A whole block, whose weights eight lanes from {@code first} on have. */
    static void unpack(UnitFormat format, byte[] unit, int from, byte[] block, int at, int lanes, int first, int row) {
        if (format == UnitFormat.Q6_K) {
            unpackSix(unit, from, block, at, lanes, first, row);
            return;
        }
        boolean hasFifth = format == UnitFormat.Q5_K;
        for (int j = 0; j < 128; j++) {
            int lane = first + (j >> 5) * 2;
            block[at + (hasFifth ? 48 : 16) + j] = (byte) (nibble(unit, from, lanes, lane, row, j & 31)
                    | nibble(unit, from, lanes, lane + 1, row, j & 31) << 4);
        }
        for (int e = 0; hasFifth && e < 32; e++) {
            int bits = 0;
            for (int sub = 0; sub < 8; sub++) {
                int from8 = from + 64 * lanes + (first + sub) * 16 + row * 4 + (e & 3);
                bits |= (unit[from8] >> (e >> 2) & 1) << sub;
            }
            block[at + 16 + e] = (byte) bits;
        }
        unpackAffine(unit, from + (hasFifth ? 80 : 64) * lanes, block, at, lanes, first, row);
    }

    private static void unpackAffine(byte[] unit, int from, byte[] block, int at, int lanes, int first, int row) {
        int[] scale = new int[8];
        int[] min = new int[8];
        for (int sub = 0; sub < 8; sub++) {
            int low = unit[from + (first + sub) * 4 + row] & 255;
            int high = (unit[from + 4 * lanes + (first + sub) * 2 + (row >> 1)] >> ((row & 1) * 4)) & 15;
            scale[sub] = low & 63;
            min[sub] = low >> 6 | high << 2;
        }
        System.arraycopy(unit, from + 6 * lanes + (first >> 3) * 16 + row * 4, block, at, 4);
        for (int i = 0; i < 4; i++) {
            block[at + 4 + i] = (byte) (scale[i] | scale[i + 4] >> 4 << 6);
            block[at + 8 + i] = (byte) (min[i] | min[i + 4] >> 4 << 6);
            block[at + 12 + i] = (byte) ((scale[i + 4] & 15) | ((min[i + 4] & 15) << 4));
        }
    }

    private static void unpackSix(byte[] unit, int from, byte[] block, int at, int lanes, int first, int row) {
        for (int n = 0; n < 2; n++) {
            int lane = first + 4 * n;
            for (int j = 0; j < 64; j++) {
                int even = lane + (j >> 5);
                block[at + 64 * n + j] = (byte) (nibble(unit, from, lanes, even, row, j & 31)
                        | nibble(unit, from, lanes, even + 2, row, j & 31) << 4);
            }
            for (int j = 0; j < 32; j++) {
                int bits = 0;
                for (int g = 0; g < 4; g++) {
                    int b = (j >> 4) * 4 + (j & 3);
                    int high = unit[from + 64 * lanes + ((row >> 1) * lanes + lane + g) * 16 + (row & 1) * 8 + b];
                    bits |= ((high >> (2 * ((j >> 2) & 3))) & 3) << (2 * g);
                }
                block[at + 128 + 32 * n + j] = (byte) bits;
            }
        }
        for (int sub = 0; sub < 8; sub++) {
            System.arraycopy(unit, from + 96 * lanes + (first + sub) * 8 + row * 2, block, at + 192 + sub * 2, 2);
        }
        System.arraycopy(unit, from + 104 * lanes + (first >> 3) * 8 + row * 2, block, at + 208, 2);
    }

    /** Weight {@code i} of a lane. */
    private static int nibble(byte[] unit, int from, int lanes, int lane, int row, int i) {
        return (unit[from + (row * lanes + lane) * 16 + (i & 15)] >> ((i >> 4) * 4)) & 15;
    }
}
