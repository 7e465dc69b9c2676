// ggml's block formats: single elements decoded from a block, and blocks of 32 encoded by a warp. Layouts are drawn in
// the classes of stowage-reference (dev.stowage.reference.quant); results are the same to the last bit, which is why
// products and sums are written with the functions that are never contracted to a fused multiply-add.
//
// A block starts at an even address; mxfp4, whose blocks have 17 bytes, is read byte by byte.
#pragma once
#include "codebooks.cuh"
#include "common.cuh"

// ggml's numbers of the formats.
enum Format {
    FORMAT_Q4_0 = 2, FORMAT_Q4_1 = 3, FORMAT_Q5_0 = 6, FORMAT_Q5_1 = 7, FORMAT_Q8_0 = 8, FORMAT_Q8_1 = 9,
    FORMAT_Q2_K = 10, FORMAT_Q3_K = 11, FORMAT_Q4_K = 12, FORMAT_Q5_K = 13, FORMAT_Q6_K = 14, FORMAT_Q8_K = 15,
    FORMAT_IQ2_XXS = 16, FORMAT_IQ2_XS = 17, FORMAT_IQ3_XXS = 18, FORMAT_IQ1_S = 19, FORMAT_IQ4_NL = 20,
    FORMAT_IQ3_S = 21, FORMAT_IQ2_S = 22, FORMAT_IQ4_XS = 23, FORMAT_IQ1_M = 29, FORMAT_TQ1_0 = 34,
    FORMAT_TQ2_0 = 35, FORMAT_MXFP4 = 39, FORMAT_NVFP4 = 40, FORMAT_Q1_0 = 41, FORMAT_Q2_0 = 42
};

// ---- the numbers blocks are made of

DEVICE int block_u16(const u8 *at) { return *(const u16 *) at; }
DEVICE u32 block_u32(const u8 *at) { return (u32) block_u16(at) | (u32) block_u16(at + 2) << 16; }
DEVICE float block_f16(const u8 *at) { return half_to_float(*(const u16 *) at); }

// Number i of four bits: of a run of 2 * half numbers, byte j holds number j (low) and number half + j (high).
DEVICE int block_nibble(const u8 *at, int half, int i) {
    return (at[i / (2 * half) * half + i % half] >> (i / half % 2 * 4)) & 15;
}
// Number i of two bits: of a run of 128, byte j holds, lowest bits first, the numbers j, 32 + j, 64 + j and 96 + j.
DEVICE int block_two_bits(const u8 *at, int i) { return (at[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2)) & 3; }
// Bit i of 256: byte j holds, lowest first, the bits j, 32 + j and so on.
DEVICE int block_one_bit(const u8 *at, int i) { return (at[i % 32] >> (i / 32)) & 1; }

// The eight scales and eight minima of six bits each that q4_K and q5_K have in twelve bytes.
DEVICE int block_scale6(const u8 *at, int i) {
    return i < 4 ? at[i] & 63 : (at[i + 4] & 15) | (at[i - 4] >> 6 << 4);
}
DEVICE int block_min6(const u8 *at, int i) {
    return i < 4 ? at[i + 4] & 63 : (at[i + 4] >> 4) | (at[i] >> 6 << 4);
}

// Twice a number of four-bit floating point, by its code: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives.
DEVICE int fp4_doubled(int code) {
    int magnitude = (int) (0xc8643210u >> ((code & 7) * 4)) & 15;
    return code < 8 ? magnitude : -magnitude;
}
// The levels of iq4_nl and iq4_xs.
static __device__ const i8 NONLINEAR_LEVELS[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                   1,    13,   25,  38,  53,  69,  89,  113};

// ---- decoding: element i of a block

DEVICE float decode_q4_0(const u8 *b, int i) {
    return __fmul_rn((float) (block_nibble(b + 2, 16, i) - 8), block_f16(b));
}
DEVICE float decode_q4_1(const u8 *b, int i) {
    return __fadd_rn(__fmul_rn((float) block_nibble(b + 4, 16, i), block_f16(b)), block_f16(b + 2));
}
DEVICE float decode_q5_0(const u8 *b, int i) {
    int level = block_nibble(b + 6, 16, i) | ((block_u32(b + 2) >> i & 1) << 4);
    return __fmul_rn((float) (level - 16), block_f16(b));
}
DEVICE float decode_q5_1(const u8 *b, int i) {
    int level = block_nibble(b + 8, 16, i) | ((block_u32(b + 4) >> i & 1) << 4);
    return __fadd_rn(__fmul_rn((float) level, block_f16(b)), block_f16(b + 2));
}
DEVICE float decode_q8_0(const u8 *b, int i) { return __fmul_rn((float) (i8) b[2 + i], block_f16(b)); }
DEVICE float decode_q8_1(const u8 *b, int i) { return __fmul_rn((float) (i8) b[4 + i], block_f16(b)); }
DEVICE float decode_q2_k(const u8 *b, int i) {
    int codes = b[i / 16];
    float scaled = __fmul_rn(__fmul_rn(block_f16(b + 80), (float) (codes & 15)), (float) block_two_bits(b + 16, i));
    return __fsub_rn(scaled, __fmul_rn(block_f16(b + 82), (float) (codes >> 4)));
}
DEVICE float decode_q3_k(const u8 *b, int i) {
    int group = i / 16;
    int scale = block_nibble(b + 96, 8, group) | ((b[104 + group % 4] >> (group / 4 * 2) & 3) << 4);
    int level = block_two_bits(b + 32, i) | (block_one_bit(b, i) << 2);
    return __fmul_rn(__fmul_rn(block_f16(b + 108), (float) (scale - 32)), (float) (level - 4));
}
DEVICE float decode_affine(const u8 *b, int i, int level) {
    float scale = __fmul_rn(block_f16(b), (float) block_scale6(b + 4, i / 32));
    float min = __fmul_rn(block_f16(b + 2), (float) block_min6(b + 4, i / 32));
    return __fsub_rn(__fmul_rn(scale, (float) level), min);
}
DEVICE float decode_q4_k(const u8 *b, int i) { return decode_affine(b, i, block_nibble(b + 16, 32, i)); }
DEVICE float decode_q5_k(const u8 *b, int i) {
    return decode_affine(b, i, block_nibble(b + 48, 32, i) | (block_one_bit(b + 16, i) << 4));
}
DEVICE float decode_q6_k(const u8 *b, int i) {
    int level = block_nibble(b, 64, i) | (block_two_bits(b + 128, i) << 4);
    return __fmul_rn(__fmul_rn(block_f16(b + 208), (float) (i8) b[192 + i / 16]), (float) (level - 32));
}
DEVICE float decode_q8_k(const u8 *b, int i) {
    return __fmul_rn(__uint_as_float(block_u32(b)), (float) (i8) b[4 + i]);
}
DEVICE float decode_iq4_nl(const u8 *b, int i) {
    return __fmul_rn(block_f16(b), (float) NONLINEAR_LEVELS[block_nibble(b + 2, 16, i)]);
}
DEVICE float decode_iq4_xs(const u8 *b, int i) {
    int group = i / 32;
    int scale = block_nibble(b + 4, 1, group) | ((block_u16(b + 2) >> (group * 2) & 3) << 4);
    return __fmul_rn(__fmul_rn(block_f16(b), (float) (scale - 32)),
                     (float) NONLINEAR_LEVELS[block_nibble(b + 8, 16, i)]);
}

// Half of the power of two of a block, as the numbers that go with it are doubled: 2^(e - 128).
DEVICE float mxfp4_half_scale(int e) {
    return __uint_as_float(e >= 2 ? (u32) (e - 1) << 23 : 0x00200000u << e);
}
DEVICE float decode_mxfp4(const u8 *b, int i) {
    return __fmul_rn((float) fp4_doubled(block_nibble(b + 1, 16, i)), mxfp4_half_scale(b[0]));
}
DEVICE float decode_nvfp4(const u8 *b, int i) {
    int code = b[i / 16];
    int exponent = code >> 3 & 15;
    // An exponent below the normal ones has no leading one; 2^-10 and 2^(exponent - 11) are halves of the scale's unit.
    float fraction = (float) ((code & 7) + (exponent == 0 ? 0 : 8));
    float unit = __uint_as_float((u32) (127 - (exponent == 0 ? 10 : 11 - exponent)) << 23);
    float d = code == 0x7f ? 0 : __fmul_rn(fraction, unit);
    return __fmul_rn((float) fp4_doubled(block_nibble(b + 4, 8, i)), d);
}
DEVICE float decode_q1_0(const u8 *b, int i) {
    float d = block_f16(b);
    return (b[2 + i / 8] >> (i % 8) & 1) ? d : -d;
}
DEVICE float decode_q2_0(const u8 *b, int i) {
    return __fmul_rn((float) ((b[2 + i / 4] >> (i % 4 * 2) & 3) - 1), block_f16(b));
}
// Up to five digits of base three in a byte, pushed out of its top one after the other by multiplying with three.
DEVICE float decode_tq1_0(const u8 *b, int i) {
    int at, digit;
    if (i < 160) {
        at = i % 32, digit = i / 32;
    } else if (i < 240) {
        at = 32 + (i - 160) % 16, digit = (i - 160) / 16;
    } else {
        at = 48 + (i - 240) % 4, digit = (i - 240) / 4;
    }
    u32 fraction = b[at];
    for (; digit > 0; digit--) fraction = fraction * 3 & 255;
    return __fmul_rn((float) ((int) (fraction * 3 >> 8) - 1), block_f16(b + 52));
}
DEVICE float decode_tq2_0(const u8 *b, int i) {
    return __fmul_rn((float) (block_two_bits(b, i) - 1), block_f16(b + 64));
}

// ---- decoding: the formats with codebooks

DEVICE int ternary_level(u16 point, int coordinate) { return point >> (2 * coordinate) & 3; }
DEVICE float signed_by(int signs, int i, float value) { return signs >> i & 1 ? -value : value; }
// All eight signs from seven: the number of negative ones is even.
DEVICE int eight_signs(int seven) { return seven | (__popc((u32) seven) & 1) << 7; }
// A magnitude of the iq2 formats by its level.
DEVICE float iq2_magnitude(u16 point, int coordinate) {
    int level = ternary_level(point, coordinate);
    return level == 0 ? 8.f : level == 1 ? 25.f : 43.f;
}
DEVICE float iq2_scale(float d, int code) { return __fmul_rn(__fmul_rn(d, 0.5f + (float) code), 0.25f); }

DEVICE float decode_iq2_xxs(const u8 *b, int i) {
    const u8 *group = b + 2 + i / 32 * 8;
    u32 bits = block_u32(group + 4);
    u16 point = codebook_iq2_xxs[group[i / 8 % 4]];
    float scale = iq2_scale(block_f16(b), (int) (bits >> 28));
    int signs = eight_signs((int) (bits >> (i / 8 % 4 * 7) & 127));
    return signed_by(signs, i % 8, __fmul_rn(scale, iq2_magnitude(point, i % 8)));
}
DEVICE float decode_iq2_xs(const u8 *b, int i) {
    int bits = block_u16(b + 2 + i / 8 * 2);
    float scale = iq2_scale(block_f16(b), block_nibble(b + 66, 1, i / 16));
    return signed_by(eight_signs(bits >> 9), i % 8,
                     __fmul_rn(scale, iq2_magnitude(codebook_iq2_xs[bits & 511], i % 8)));
}
DEVICE float decode_iq2_s(const u8 *b, int i) {
    int at = i / 8;
    int number = b[2 + at] | (b[66 + at / 4] >> (at % 4 * 2) & 3) << 8;
    float scale = iq2_scale(block_f16(b), block_nibble(b + 74, 1, i / 16));
    return signed_by(b[34 + at], i % 8, __fmul_rn(scale, iq2_magnitude(codebook_iq2_s[number], i % 8)));
}
DEVICE float decode_iq3_xxs(const u8 *b, int i) {
    u32 bits = block_u32(b + 66 + i / 32 * 4);
    int level = codebook_iq3_xxs[b[2 + i / 4]] >> (3 * (i % 4)) & 7;
    float scale = __fmul_rn(__fmul_rn(block_f16(b), 0.5f + (float) (bits >> 28)), 0.5f);
    int signs = eight_signs((int) (bits >> (i / 8 % 4 * 7) & 127));
    return signed_by(signs, i % 8, __fmul_rn(scale, level == 7 ? 62.f : (float) (4 + 8 * level)));
}
DEVICE float decode_iq3_s(const u8 *b, int i) {
    int at = i / 4;
    int number = b[2 + at] | (b[66 + at / 8] >> (at % 8) & 1) << 8;
    int level = codebook_iq3_s[number] >> (3 * (i % 4)) & 7;
    float scale = __fmul_rn(block_f16(b), (float) (1 + 2 * block_nibble(b + 106, 1, i / 32)));
    return signed_by(b[74 + i / 8], i % 8, __fmul_rn(scale, (float) (2 * level + 1)));
}
// A coordinate of -1, 0 or 1, shifted by an eighth.
DEVICE float iq1_value(int number, int coordinate, bool down) {
    return (float) (ternary_level(codebook_iq1[number], coordinate) - 1) + (down ? -0.125f : 0.125f);
}
DEVICE float decode_iq1_s(const u8 *b, int i) {
    int bits = block_u16(b + 34 + i / 32 * 2);
    int at = i / 8;
    int number = b[2 + at] | (bits >> (at % 4 * 3) & 7) << 8;
    float scale = __fmul_rn(block_f16(b), (float) (2 * (bits >> 12 & 7) + 1));
    return __fmul_rn(scale, iq1_value(number, i % 8, bits >> 15 & 1));
}
DEVICE float decode_iq1_m(const u8 *b, int i) {
    int d = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) d |= block_u16(b + 48 + 2 * k) >> 12 << (4 * k);
    int high = block_nibble(b + 32, 1, i / 8);
    int number = b[i / 8] | (high & 7) << 8;
    int code = block_u16(b + 48 + i / 64 * 2) >> (i / 16 % 4 * 3) & 7;
    float scale = __fmul_rn(half_to_float((u16) d), (float) (2 * code + 1));
    return __fmul_rn(scale, iq1_value(number, i % 8, high >> 3));
}

// Element i of a row of blocks that follow each other at a distance of `stride` bytes.
DEVICE float decode_at(int format, const u8 *row, i64 stride, i64 i) {
#define DECODE_CASE(NAME, name, size) \
    case FORMAT_##NAME: return decode_##name(row + i / size * stride, (int) (i & (size - 1)));
    switch (format) {
        DECODE_CASE(Q4_0, q4_0, 32)
        DECODE_CASE(Q4_1, q4_1, 32)
        DECODE_CASE(Q5_0, q5_0, 32)
        DECODE_CASE(Q5_1, q5_1, 32)
        DECODE_CASE(Q8_0, q8_0, 32)
        DECODE_CASE(Q8_1, q8_1, 32)
        DECODE_CASE(Q2_K, q2_k, 256)
        DECODE_CASE(Q3_K, q3_k, 256)
        DECODE_CASE(Q4_K, q4_k, 256)
        DECODE_CASE(Q5_K, q5_k, 256)
        DECODE_CASE(Q6_K, q6_k, 256)
        DECODE_CASE(Q8_K, q8_k, 256)
        DECODE_CASE(IQ2_XXS, iq2_xxs, 256)
        DECODE_CASE(IQ2_XS, iq2_xs, 256)
        DECODE_CASE(IQ2_S, iq2_s, 256)
        DECODE_CASE(IQ3_XXS, iq3_xxs, 256)
        DECODE_CASE(IQ3_S, iq3_s, 256)
        DECODE_CASE(IQ1_S, iq1_s, 256)
        DECODE_CASE(IQ1_M, iq1_m, 256)
        DECODE_CASE(IQ4_NL, iq4_nl, 32)
        DECODE_CASE(IQ4_XS, iq4_xs, 256)
        DECODE_CASE(TQ1_0, tq1_0, 256)
        DECODE_CASE(TQ2_0, tq2_0, 256)
        DECODE_CASE(MXFP4, mxfp4, 32)
        DECODE_CASE(NVFP4, nvfp4, 64)
        DECODE_CASE(Q1_0, q1_0, 128)
        DECODE_CASE(Q2_0, q2_0, 64)
    }
#undef DECODE_CASE
    return 0;
}

// ---- encoding: the 32 elements of a block by a warp, lane i having element i; all 32 lanes take part

DEVICE float warp_min(float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v = fminf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}
// The element of the first lane for which that holds: of equal ones, such as the two zeros, the first counts.
DEVICE float first_where(bool holds, float x) {
    return __shfl_sync(0xffffffffu, x, __ffs((int) __ballot_sync(0xffffffffu, holds)) - 1);
}
// The element farthest from zero, with its sign; 0 where all are zero.
DEVICE float warp_extreme(float x) {
    float farthest = warp_max(fabsf(x));
    float extreme = first_where(fabsf(x) == farthest, x);
    return farthest > 0 ? extreme : 0;
}
DEVICE float inverse_or_zero(float d) { return d != 0 ? __fdiv_rn(1, d) : 0; }
// Towards zero, and the smallest int for what no int can hold.
DEVICE int truncate_to_int(float v) { return fabsf(v) < 2147483648.f ? (int) v : (int) 0x80000000; }

// Lane i of the first half writes the low four bits of levels i and 16 + i as byte i.
DEVICE void put_nibbles(u8 *at, int level, int lane) {
    int high = __shfl_down_sync(0xffffffffu, level, 16);
    if (lane < 16) at[lane] = (u8) ((level & 15) | (high & 15) << 4);
}
DEVICE void put_fifth_bits(u8 *at, int level, int lane) {
    u32 bits = __ballot_sync(0xffffffffu, level >> 4 & 1);
    if (lane < 2) ((u16 *) at)[lane] = (u16) (bits >> (16 * lane));
}
DEVICE void put_f16(u8 *at, float value, int lane) {
    if (lane == 0) *(u16 *) at = float_to_half(value);
}

DEVICE void encode_q4_0(u8 *b, float x, int lane) {
    float d = __fdiv_rn(warp_extreme(x), -8);
    int level = min(15, truncate_to_int(__fadd_rn(__fmul_rn(x, inverse_or_zero(d)), 8.5f)));
    put_f16(b, d, lane);
    put_nibbles(b + 2, level, lane);
}
DEVICE void encode_q5_0(u8 *b, float x, int lane) {
    float d = __fdiv_rn(warp_extreme(x), -16);
    int level = min(31, truncate_to_int(__fadd_rn(__fmul_rn(x, inverse_or_zero(d)), 16.5f)));
    put_f16(b, d, lane);
    put_fifth_bits(b + 2, level, lane);
    put_nibbles(b + 6, level, lane);
}
// The level of an element between the smallest and the largest of its block; d and the smallest are written.
DEVICE int affine_level(u8 *b, float x, int levels, int lane) {
    float smallest = warp_min(x);
    float largest = warp_max(x);
    float min = first_where(x == smallest, x);
    float max = first_where(x == largest, x);
    float d = __fdiv_rn(__fsub_rn(max, min), (float) levels);
    put_f16(b, d, lane);
    put_f16(b + 2, min, lane);
    return truncate_to_int(__fadd_rn(__fmul_rn(__fsub_rn(x, min), inverse_or_zero(d)), 0.5f));
}
DEVICE void encode_q4_1(u8 *b, float x, int lane) {
    put_nibbles(b + 4, min(15, affine_level(b, x, 15, lane)), lane);
}
DEVICE void encode_q5_1(u8 *b, float x, int lane) {
    int level = affine_level(b, x, 31, lane);
    put_fifth_bits(b + 4, level, lane);
    put_nibbles(b + 8, level, lane);
}
DEVICE void encode_q8_0(u8 *b, float x, int lane) {
    float d = __fdiv_rn(warp_max(fabsf(x)), 127);
    put_f16(b, d, lane);
    b[2 + lane] = (u8) truncate_to_int(roundf(__fmul_rn(x, inverse_or_zero(d))));
}
// The index of the level nearest to a number; halfway between two it is the upper one.
DEVICE int nearest_nonlinear(float v) {
    if (v <= (float) NONLINEAR_LEVELS[0]) return 0;
    int upper = 1;
    while (upper < 15 && !(v < (float) NONLINEAR_LEVELS[upper])) upper++;
    float below = __fsub_rn(v, (float) NONLINEAR_LEVELS[upper - 1]);
    return below < __fsub_rn((float) NONLINEAR_LEVELS[upper], v) ? upper - 1 : upper;
}
// The scale is that of weighted least squares; its sums are added in the order of the elements.
DEVICE void encode_iq4_nl(u8 *b, float x, int lane) {
    float extreme = warp_extreme(x);
    bool empty = fabsf(extreme) < 1e-15f;
    float inverse = empty ? 0 : __fdiv_rn(1, __fdiv_rn(extreme, (float) NONLINEAR_LEVELS[0]));
    int index = nearest_nonlinear(__fmul_rn(inverse, x));
    float level = (float) NONLINEAR_LEVELS[index];
    float weighted = __fmul_rn(__fmul_rn(x, x), level);
    float xl = __fmul_rn(weighted, x), l2 = __fmul_rn(weighted, level);
    float sum_xl = 0, sum_l2 = 0;
    for (int i = 0; i < 32; i++) {
        sum_xl = __fadd_rn(sum_xl, __shfl_sync(0xffffffffu, xl, i));
        sum_l2 = __fadd_rn(sum_l2, __shfl_sync(0xffffffffu, l2, i));
    }
    put_f16(b, empty || !(sum_l2 > 0) ? 0 : __fdiv_rn(sum_xl, sum_l2), lane);
    put_nibbles(b + 2, index, lane);
}
DEVICE void encode_mxfp4(u8 *b, float x, int lane) {
    float largest = warp_max(fabsf(x));
    int exponent = 0;
    if (largest > 0) {
        // Rounded to a float on purpose: just below a large power of two the logarithm reaches the whole number.
        float logarithm = (float) (log((double) largest) / log(2.0));
        exponent = truncate_to_int(floorf(logarithm) - 2 + 127) & 255;
    }
    float d = mxfp4_half_scale(exponent);
    int best = 0;
    float error = fabsf(x);
    for (int code = 1; code < 16; code++) {
        float candidate = fabsf(__fsub_rn(__fmul_rn((float) fp4_doubled(code), d), x));
        if (candidate < error) best = code, error = candidate;
    }
    if (lane == 0) b[0] = (u8) exponent;
    put_nibbles(b + 1, best, lane);
}

// Encodes a block of 32 elements in one of the formats that the host allows as a target.
DEVICE void encode_block(int format, u8 *block, float x, int lane) {
    switch (format) {
    case FORMAT_Q4_0: encode_q4_0(block, x, lane); break;
    case FORMAT_Q4_1: encode_q4_1(block, x, lane); break;
    case FORMAT_Q5_0: encode_q5_0(block, x, lane); break;
    case FORMAT_Q5_1: encode_q5_1(block, x, lane); break;
    case FORMAT_Q8_0: encode_q8_0(block, x, lane); break;
    case FORMAT_IQ4_NL: encode_iq4_nl(block, x, lane); break;
    default: encode_mxfp4(block, x, lane);
    }
}
