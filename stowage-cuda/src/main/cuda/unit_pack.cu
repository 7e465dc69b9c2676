// Weights from the order of ggml into units and back; see unit_layout.cuh.
#include "unit_layout.cuh"

// The scale and the minimum of 32 weights, six bits each, as q4_K and q5_K store eight of both in 12 bytes.
DEVICE int six_bit_scale(const u8 *s, int i) { return i < 4 ? s[i] & 63 : (s[i + 4] & 15) | (s[i - 4] >> 6 << 4); }
DEVICE int six_bit_min(const u8 *s, int i) { return i < 4 ? s[i + 4] & 63 : (s[i + 4] >> 4) | (s[i] >> 6 << 4); }

DEVICE void move16(u8 *to, const u8 *from, int bytes) {
    for (int i = 0; i < bytes; i += 2) *(u16 *) (to + i) = *(const u16 *) (from + i);
}

// Scale, minimum, d and dmin of q4_K and q5_K; at is the offset of the scales. Four rows share 16 bits of the minima, which
// are changed atomically: the other rows may be written at the same time, by another launch.
DEVICE void pack_affine(const u8 *block, u8 *unit, int at, int lanes, int lane, int row) {
    int sub = lane & 7;
    int scale = six_bit_scale(block + 4, sub);
    int min = six_bit_min(block + 4, sub);
    unit[at + lane * 4 + row] = (u8) (scale | (min & 3) << 6);
    u32 *high = (u32 *) (unit + at + 4 * lanes + (lane >> 1) * 4);
    int shift = (lane & 1) * 16 + 4 * row;
    atomicAnd(high, ~(15u << shift));
    atomicOr(high, (u32) (min >> 2) << shift);
    if (sub == 0) move16(unit + at + 6 * lanes + (lane >> 3) * 16 + row * 4, block, 4);
}
DEVICE void unpack_affine(const u8 *unit, u8 *block, int at, int lanes, int first, int row) {
    int scale[8], min[8];
#pragma unroll
    for (int sub = 0; sub < 8; sub++) {
        int lane = first + sub;
        int low = unit[at + lane * 4 + row];
        int high = *(const u16 *) (unit + at + 4 * lanes + lane * 2) >> 4 * row & 15;
        scale[sub] = low & 63;
        min[sub] = low >> 6 | high << 2;
    }
    move16(block, unit + at + 6 * lanes + (first >> 3) * 16 + row * 4, 4);
    u8 *s = block + 4;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        s[i] = (u8) (scale[i] | scale[i + 4] >> 4 << 6);
        s[i + 4] = (u8) (min[i] | min[i + 4] >> 4 << 6);
        s[i + 8] = (u8) ((scale[i + 4] & 15) | (min[i + 4] & 15) << 4);
    }
}

// Weight i of a lane in the nibbles of a unit.
DEVICE int unit_nibble(const u8 *unit, int lanes, int lane, int row, int i) {
    return unit[(row * lanes + lane) * 16 + (i & 15)] >> (i >> 4) * 4 & 15;
}

template <int TYPE> struct Packing;

template <> struct Packing<TYPE_Q4_0> {
    DEVICE void pack(const u8 *block, u8 *unit, int lanes, int lane, int row) {
        move16(unit + 64 * lanes + lane * 8 + row * 2, block, 2);
        move16(unit + (row * lanes + lane) * 16, block + 2, 16);
    }
    DEVICE void unpack(const u8 *unit, u8 *block, int lanes, int lane, int row) {
        move16(block, unit + 64 * lanes + lane * 8 + row * 2, 2);
        move16(block + 2, unit + (row * lanes + lane) * 16, 16);
    }
};

template <> struct Packing<TYPE_Q8_0> {
    DEVICE void pack(const u8 *block, u8 *unit, int lanes, int lane, int row) {
        move16(unit + 128 * lanes + lane * 8 + row * 2, block, 2);
        for (int h = 0; h < 2; h++) move16(unit + ((row * 2 + h) * lanes + lane) * 16, block + 2 + h * 16, 16);
    }
    DEVICE void unpack(const u8 *unit, u8 *block, int lanes, int lane, int row) {
        move16(block, unit + 128 * lanes + lane * 8 + row * 2, 2);
        for (int h = 0; h < 2; h++) move16(block + 2 + h * 16, unit + ((row * 2 + h) * lanes + lane) * 16, 16);
    }
};

// In a block of q4_K, byte j of 32 has weight j of the even sub-block (low) and of the odd one after it (high).
template <> struct Packing<TYPE_Q4_K> {
    DEVICE void pack(const u8 *block, u8 *unit, int lanes, int lane, int row) {
        const u8 *levels = block + 16 + (lane >> 1 & 3) * 32;
        int shift = (lane & 1) * 4;
        u8 *to = unit + (row * lanes + lane) * 16;
        for (int i = 0; i < 16; i++) to[i] = (u8) ((levels[i] >> shift & 15) | (levels[i + 16] >> shift & 15) << 4);
        pack_affine(block, unit, 64 * lanes, lanes, lane, row);
    }
    DEVICE void unpack(const u8 *unit, u8 *block, int lanes, int first, int row) {
        unpack_affine(unit, block, 64 * lanes, lanes, first, row);
        for (int j = 0; j < 128; j++) {
            int lane = first + (j >> 5) * 2;
            block[16 + j] = (u8) (unit_nibble(unit, lanes, lane, row, j & 31)
                    | unit_nibble(unit, lanes, lane + 1, row, j & 31) << 4);
        }
    }
};

// As q4_K; byte j of the 32 at 16 has the fifth bits of weight j of all eight sub-blocks.
template <> struct Packing<TYPE_Q5_K> {
    DEVICE void pack(const u8 *block, u8 *unit, int lanes, int lane, int row) {
        const u8 *levels = block + 48 + (lane >> 1 & 3) * 32;
        int shift = (lane & 1) * 4;
        u8 *to = unit + (row * lanes + lane) * 16;
        for (int i = 0; i < 16; i++) to[i] = (u8) ((levels[i] >> shift & 15) | (levels[i + 16] >> shift & 15) << 4);
        u32 fifth = 0;
        for (int e = 0; e < 32; e++) fifth |= (u32) (block[16 + e] >> (lane & 7) & 1) << (8 * (e & 3) + (e >> 2));
        *(u32 *) (unit + 64 * lanes + lane * 16 + row * 4) = fifth;
        pack_affine(block, unit, 80 * lanes, lanes, lane, row);
    }
    DEVICE void unpack(const u8 *unit, u8 *block, int lanes, int first, int row) {
        unpack_affine(unit, block, 80 * lanes, lanes, first, row);
        for (int j = 0; j < 128; j++) {
            int lane = first + (j >> 5) * 2;
            block[48 + j] = (u8) (unit_nibble(unit, lanes, lane, row, j & 31)
                    | unit_nibble(unit, lanes, lane + 1, row, j & 31) << 4);
        }
        for (int e = 0; e < 32; e++) {
            int bits = 0;
            for (int sub = 0; sub < 8; sub++) {
                u32 fifth = *(const u32 *) (unit + 64 * lanes + (first + sub) * 16 + row * 4);
                bits |= (int) (fifth >> (8 * (e & 3) + (e >> 2)) & 1) << sub;
            }
            block[16 + e] = (u8) bits;
        }
    }
};

// In half n of a block of q6_K, weights 32 g + j (g = 0..3) have their low bits in nibble g / 2 of byte
// 64 n + 32 (g & 1) + j, and their high bits in bits 2 g of byte 128 + 32 n + j.
template <> struct Packing<TYPE_Q6_K> {
    DEVICE void pack(const u8 *block, u8 *unit, int lanes, int lane, int row) {
        int n = lane >> 2 & 1, g = lane & 3;
        const u8 *low = block + 64 * n + 32 * (g & 1);
        const u8 *high = block + 128 + 32 * n;
        int shift = (g >> 1) * 4;
        u8 *to = unit + (row * lanes + lane) * 16;
        for (int i = 0; i < 16; i++) to[i] = (u8) ((low[i] >> shift & 15) | (low[i + 16] >> shift & 15) << 4);
        u8 *bits = unit + 64 * lanes + ((row >> 1) * lanes + lane) * 16 + (row & 1) * 8;
        for (int b = 0; b < 8; b++) {
            int v = 0;
            for (int j = 0; j < 4; j++) v |= (high[(b >> 2) * 16 + 4 * j + (b & 3)] >> 2 * g & 3) << 2 * j;
            bits[b] = (u8) v;
        }
        move16(unit + 96 * lanes + lane * 8 + row * 2, block + 192 + (lane & 7) * 2, 2);
        if ((lane & 7) == 0) move16(unit + 104 * lanes + (lane >> 3) * 8 + row * 2, block + 208, 2);
    }
    DEVICE int high_bits(const u8 *unit, int lanes, int lane, int row, int i) {
        int b = (i >> 4) * 4 + (i & 3);
        return unit[64 * lanes + ((row >> 1) * lanes + lane) * 16 + (row & 1) * 8 + b] >> 2 * (i >> 2 & 3) & 3;
    }
    DEVICE void unpack(const u8 *unit, u8 *block, int lanes, int first, int row) {
        for (int n = 0; n < 2; n++) {
            int lane = first + 4 * n;
            for (int j = 0; j < 64; j++) {
                int even = lane + (j >> 5);
                block[64 * n + j] = (u8) (unit_nibble(unit, lanes, even, row, j & 31)
                        | unit_nibble(unit, lanes, even + 2, row, j & 31) << 4);
            }
            for (int j = 0; j < 32; j++) {
                int v = 0;
                for (int g = 0; g < 4; g++) v |= high_bits(unit, lanes, lane + g, row, j) << 2 * g;
                block[128 + 32 * n + j] = (u8) v;
            }
        }
        for (int sub = 0; sub < 8; sub++)
            move16(block + 192 + sub * 2, unit + 96 * lanes + (first + sub) * 8 + row * 2, 2);
        move16(block + 208, unit + 104 * lanes + (first >> 3) * 8 + row * 2, 2);
    }
};

struct HalfPacking {
    DEVICE void pack(const u8 *block, u8 *unit, int lanes, int lane, int row) {
        *(uint4 *) (unit + (row * lanes + lane) * 16) = *(const uint4 *) block;
    }
    DEVICE void unpack(const u8 *unit, u8 *block, int lanes, int lane, int row) {
        *(uint4 *) block = *(const uint4 *) (unit + (row * lanes + lane) * 16);
    }
};
template <> struct Packing<TYPE_F16> : HalfPacking {};
template <> struct Packing<TYPE_BF16> : HalfPacking {};

// The unit that lane number column of a group of rows is in, counted from the group's first unit; column becomes the lane
// of that unit. Returns the lanes of the unit.
template <int TYPE> DEVICE int find_unit(const UnitRow &shape, int &column, i64 &offset) {
    int step = column / UNIT_LANES;
    column -= step * UNIT_LANES;
    offset = (i64) step * UnitFormat<TYPE>::BYTES;
    return step < shape.full ? UNIT_LANES : shape.tail;
}

// Rows first .. first + count - 1, counted over all matrices, from source. A thread packs one lane of 4 rows.
template <int TYPE> DEVICE void pack_rows(const u8 *source, u8 *units, i64 first, i64 count, int k, i64 rows) {
    typedef UnitFormat<TYPE> F;
    UnitRow shape = unit_row<TYPE>(k);
    i64 rowBytes = (i64) (k / F::BLOCK_WEIGHTS) * F::BLOCK_BYTES;
    i64 groups = (rows + UNIT_ROWS - 1) / UNIT_ROWS;
    i64 last = first + count - 1;
    i64 group0 = first / rows * groups + first % rows / UNIT_ROWS;
    i64 group1 = last / rows * groups + last % rows / UNIT_ROWS;
    int columns = k / F::LANE_WEIGHTS;
    i64 all = (group1 - group0 + 1) * columns;
    for (i64 i = blockIdx.x * (i64) blockDim.x + threadIdx.x; i < all; i += (i64) gridDim.x * blockDim.x) {
        i64 group = group0 + i / columns;
        int column = (int) (i % columns);
        const u8 *block = source + (i64) (column * F::LANE_WEIGHTS / F::BLOCK_WEIGHTS) * F::BLOCK_BYTES;
        i64 offset;
        int lanes = find_unit<TYPE>(shape, column, offset);
        i64 matrix = group / groups;
        i64 row0 = (group - matrix * groups) * UNIT_ROWS;
        for (int r = 0; r < UNIT_ROWS; r++) {
            i64 row = matrix * rows + row0 + r;
            if (row0 + r < rows && row >= first && row <= last)
                Packing<TYPE>::pack(block + (row - first) * rowBytes, units + group * shape.bytes + offset, lanes, column, r);
        }
    }
}

// The reverse. A thread writes one block.
template <int TYPE> DEVICE void unpack_rows(const u8 *units, u8 *target, i64 first, i64 count, int k, i64 rows) {
    typedef UnitFormat<TYPE> F;
    UnitRow shape = unit_row<TYPE>(k);
    i64 groups = (rows + UNIT_ROWS - 1) / UNIT_ROWS;
    int blocks = k / F::BLOCK_WEIGHTS;
    i64 all = count * blocks;
    for (i64 i = blockIdx.x * (i64) blockDim.x + threadIdx.x; i < all; i += (i64) gridDim.x * blockDim.x) {
        i64 row = first + i / blocks;
        i64 matrix = row / rows;
        i64 inMatrix = row - matrix * rows;
        int column = (int) (i % blocks) * (F::BLOCK_WEIGHTS / F::LANE_WEIGHTS);
        i64 offset;
        int lanes = find_unit<TYPE>(shape, column, offset);
        const u8 *unit = units + (matrix * groups + inMatrix / UNIT_ROWS) * shape.bytes + offset;
        Packing<TYPE>::unpack(unit, target + i * F::BLOCK_BYTES, lanes, column, (int) (inMatrix % UNIT_ROWS));
    }
}

// source and target are aligned to 16 bytes; rows is the number of rows of a matrix.
#define UNIT_PACK(name, TYPE)                                                                                              \
    KERNEL unit_pack_##name(const u8 *source, u8 *units, i64 first, i64 count, int k, i64 rows) {                          \
        pack_rows<TYPE>(source, units, first, count, k, rows);                                                             \
    }                                                                                                                      \
    KERNEL unit_unpack_##name(const u8 *units, u8 *target, i64 first, i64 count, int k, i64 rows) {                        \
        unpack_rows<TYPE>(units, target, first, count, k, rows);                                                           \
    }

UNIT_PACK(q4_0, TYPE_Q4_0)
UNIT_PACK(q8_0, TYPE_Q8_0)
UNIT_PACK(q4_K, TYPE_Q4_K)
UNIT_PACK(q5_K, TYPE_Q5_K)
UNIT_PACK(q6_K, TYPE_Q6_K)
UNIT_PACK(f16, TYPE_F16)
UNIT_PACK(bf16, TYPE_BF16)
