// The unit layouts: how weights of matrix products are stored so that a warp reads them in whole, aligned pieces.
//
// A unit holds 4 rows x 1024 weights of a row (f16, bf16: 4 x 256). Lane l of a warp owns 32 consecutive weights of each
// row (f16, bf16: 8). Where the length of a row is not a multiple of 1024, the last unit of the 4 rows has fewer lanes;
// L below is the number of lanes of a unit. Units are ordered [matrix][group of 4 rows][k / 1024]. A unit takes the bytes
// that its weights had, rounded up to a multiple of 16.
//
//   q4_0  [4 rows][L][16]      16 bytes of two nibbles: weight i (low) and 16 + i (high)      at      0
//         [L][4 rows] f16      scales                                                         at  64 L
//   q8_0  [4][2][L][16]        the first and the last 16 weights of a lane, int8              at      0
//         [L][4] f16           scales                                                         at 128 L
//   q4_K  [4][L][16]           nibbles as in q4_0                                             at      0
//         [L][4] u8            scale | (minimum & 3) << 6                                     at  64 L
//         [L] u16              minimum >> 2, four bits for each row                           at  68 L
//         [L / 8][4]{f16,f16}  d and dmin of 256 weights                                      at  70 L
//   q5_K  [4][L][16]           the low four bits as nibbles as in q4_0                        at      0
//         [L][4] u32           the fifth bits: weight 4 j + i in bit 8 i + j                  at  64 L
//         [L][4] u8, [L] u16, [L / 8][4]{f16,f16} as in q4_K                                  at  80 L, 84 L, 86 L
//   q6_K  [4][L][16]           the low four bits as nibbles as in q4_0                        at      0
//         [2][L][2 rows][8]    the high two bits: byte 4 h + i, bits 2 j: weight 16 h + 4 j + i   at 64 L
//         [L][4]{i8,i8}        scales of the first and the last 16 weights                    at  96 L
//         [L / 8][4] f16       d of 256 weights                                               at 104 L
//   f16   [4][L][8]            at 0; bf16 likewise
//
// The class UnitLayout has the same numbers; a test compares what both compute.
#pragma once
#include "common.cuh"

const int UNIT_ROWS = 4;
const int UNIT_LANES = 32;

// Numbers of a layout: weights and bytes of a lane (of all 4 rows), weights and bytes of a block as ggml stores it.
template <int LANE_WEIGHTS_, int LANE_BYTES_, int BLOCK_WEIGHTS_, int BLOCK_BYTES_> struct UnitNumbers {
    static const int LANE_WEIGHTS = LANE_WEIGHTS_;
    static const int LANE_BYTES = LANE_BYTES_;
    static const int BLOCK_WEIGHTS = BLOCK_WEIGHTS_;
    static const int BLOCK_BYTES = BLOCK_BYTES_;
    // Weights of a row in a unit of 32 lanes, and the bytes of such a unit.
    static const int STEP = UNIT_LANES * LANE_WEIGHTS_;
    static const int BYTES = UNIT_LANES * LANE_BYTES_;
};
template <int TYPE> struct UnitFormat;
template <> struct UnitFormat<TYPE_Q4_0> : UnitNumbers<32, 72, 32, 18> {};
template <> struct UnitFormat<TYPE_Q8_0> : UnitNumbers<32, 136, 32, 34> {};
template <> struct UnitFormat<TYPE_Q4_K> : UnitNumbers<32, 72, 256, 144> {};
template <> struct UnitFormat<TYPE_Q5_K> : UnitNumbers<32, 88, 256, 176> {};
template <> struct UnitFormat<TYPE_Q6_K> : UnitNumbers<32, 105, 256, 210> {};
template <> struct UnitFormat<TYPE_F16> : UnitNumbers<8, 64, 8, 16> {};
template <> struct UnitFormat<TYPE_BF16> : UnitNumbers<8, 64, 8, 16> {};

// The bytes of a unit of that many lanes.
template <int TYPE> DEVICE int unit_bytes(int lanes) { return (lanes * UnitFormat<TYPE>::LANE_BYTES + 15) & ~15; }

// The units of a group of 4 rows of k weights.
struct UnitRow {
    // Units with all 32 lanes, lanes of the one after them (0: there is none), units in all.
    int full, tail, steps;
    // Bytes of the group.
    i64 bytes;
};
template <int TYPE> DEVICE UnitRow unit_row(int k) {
    typedef UnitFormat<TYPE> F;
    UnitRow r;
    r.full = k / F::STEP;
    r.tail = (k - r.full * F::STEP) / F::LANE_WEIGHTS;
    r.steps = r.full + (r.tail > 0);
    r.bytes = (i64) r.full * F::BYTES + unit_bytes<TYPE>(r.tail);
    return r;
}
// The bytes of such a group, which are fewer than 2^31.
template <int TYPE> DEVICE int group_bytes(const UnitRow &r) {
    return r.full * UnitFormat<TYPE>::BYTES + unit_bytes<TYPE>(r.tail);
}
