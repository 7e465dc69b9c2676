// How the blocks of every quantised format are decoded, eight consecutive elements at a time: eight is what one thread
// stores as 16 bytes of f16, and no scale of any format changes within eight elements. The layouts are drawn beside the
// classes of the same names in dev.stowage.reference.quant.
//
//     Blocks<T>::SIZE    elements of a block
//     Blocks<T>::decode  elements `first` to `first + 7` of a block as floats; `first` is a multiple of 8
//
// Blocks of an even number of bytes begin at even addresses, so that two bytes are loaded at once.
#pragma once
#include "common.cuh"
#include "codebooks.cuh"

// The types that are missing in common.cuh, by ggml's numbers.
enum BlockType {
    TYPE_IQ2_XXS = 16, TYPE_IQ2_XS = 17, TYPE_IQ3_XXS = 18, TYPE_IQ1_S = 19, TYPE_IQ4_NL = 20, TYPE_IQ3_S = 21,
    TYPE_IQ2_S = 22, TYPE_IQ4_XS = 23, TYPE_IQ1_M = 29, TYPE_TQ1_0 = 34, TYPE_TQ2_0 = 35, TYPE_MXFP4 = 39,
    TYPE_NVFP4 = 40, TYPE_Q1_0 = 41, TYPE_Q2_0 = 42
};

template <int T> struct Blocks;

// ---- bytes and fields of a block

DEVICE u32 load_u16(const u8 *p) { return *(const u16 *) p; }
DEVICE u32 load_u32(const u8 *p) { return load_u16(p) | load_u16(p + 2) << 16; }
DEVICE float load_half(const u8 *p) { return half_to_float(*(const u16 *) p); }

// Eight bytes, the first the lowest.
struct Eight {
    u32 low, high;
    __device__ __forceinline__ int operator[](int j) const { return (j < 4 ? low : high) >> (8 * (j & 3)) & 0xff; }
};
DEVICE Eight load_eight(const u8 *p) { return {load_u32(p), load_u32(p + 4)}; }
DEVICE u32 load_bytes(const u8 *p) { return p[0] | p[1] << 8 | p[2] << 16 | (u32) p[3] << 24; }
DEVICE Eight load_eight_unaligned(const u8 *p) { return {load_bytes(p), load_bytes(p + 4)}; }

// Where element i is among nibbles in runs of 2 * half: the byte, and how far to shift it.
DEVICE int nibble_byte(int half, int i) { return i / (2 * half) * half + i % half; }
DEVICE int nibble_shift(int half, int i) { return i / half % 2 * 4; }
// The same for two bits each in runs of 128.
DEVICE int two_bits_byte(int i) { return i / 128 * 32 + i % 32; }
DEVICE int two_bits_shift(int i) { return i % 128 / 32 * 2; }

// One of the sixteen levels of iq4_nl and iq4_xs: bytes of two words.
DEVICE float non_linear_level(int q) {
    u64 levels = q < 8 ? 0xf6eaddcfbfad9881ull : 0x7159453526190d01ull;
    return (float) (i8) (levels >> (8 * (q & 7)));
}
// Twice the value of a four-bit float: 0, 1, 2, 3, 4, 6, 8, 12 and their negatives.
DEVICE float fp4_doubled(int q) {
    int magnitude = 0xc8643210u >> (4 * (q & 7)) & 15;
    return (float) (q < 8 ? magnitude : -magnitude);
}
// Eight signs of which seven are stored: the number of negative ones is even.
DEVICE int eight_signs(int seven) { return seven | (__popc(seven) & 1) << 7; }
DEVICE float signed_by(int signs, int j, float value) { return signs >> j & 1 ? -value : value; }

// ---- formats of 32, 64 and 128 elements

template <> struct Blocks<TYPE_Q4_0> {
    static const int SIZE = 32;
    DEVICE void decode(const u8 *block, int first, float *v) {
        float d = load_half(block);
        Eight bytes = load_eight(block + 2 + nibble_byte(16, first));
        int shift = nibble_shift(16, first);
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = ((bytes[j] >> shift & 15) - 8) * d;
    }
};

template <> struct Blocks<TYPE_Q4_1> {
    static const int SIZE = 32;
    DEVICE void decode(const u8 *block, int first, float *v) {
        float d = load_half(block), m = load_half(block + 2);
        Eight bytes = load_eight(block + 4 + nibble_byte(16, first));
        int shift = nibble_shift(16, first);
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = (bytes[j] >> shift & 15) * d + m;
    }
};

template <> struct Blocks<TYPE_Q5_0> {
    static const int SIZE = 32;
    DEVICE void decode(const u8 *block, int first, float *v) {
        float d = load_half(block);
        u32 fifth = load_u32(block + 2) >> first;
        Eight bytes = load_eight(block + 6 + nibble_byte(16, first));
        int shift = nibble_shift(16, first);
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = ((int) ((bytes[j] >> shift & 15) | (fifth >> j & 1) << 4) - 16) * d;
    }
};

template <> struct Blocks<TYPE_Q5_1> {
    static const int SIZE = 32;
    DEVICE void decode(const u8 *block, int first, float *v) {
        float d = load_half(block), m = load_half(block + 2);
        u32 fifth = load_u32(block + 4) >> first;
        Eight bytes = load_eight(block + 8 + nibble_byte(16, first));
        int shift = nibble_shift(16, first);
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = (int) ((bytes[j] >> shift & 15) | (fifth >> j & 1) << 4) * d + m;
    }
};

template <> struct Blocks<TYPE_Q8_0> {
    static const int SIZE = 32;
    DEVICE void decode(const u8 *block, int first, float *v) {
        float d = load_half(block);
        Eight bytes = load_eight(block + 2 + first);
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = (i8) bytes[j] * d;
    }
};

template <> struct Blocks<TYPE_Q1_0> {
    static const int SIZE = 128;
    DEVICE void decode(const u8 *block, int first, float *v) {
        float d = load_half(block);
        int bits = block[2 + first / 8];
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = bits >> j & 1 ? d : -d;
    }
};

template <> struct Blocks<TYPE_Q2_0> {
    static const int SIZE = 64;
    DEVICE void decode(const u8 *block, int first, float *v) {
        float d = load_half(block);
        int bits = load_u16(block + 2 + first / 4);
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = ((bits >> (2 * j) & 3) - 1) * d;
    }
};

template <> struct Blocks<TYPE_IQ4_NL> {
    static const int SIZE = 32;
    DEVICE void decode(const u8 *block, int first, float *v) {
        float d = load_half(block);
        Eight bytes = load_eight(block + 2 + nibble_byte(16, first));
        int shift = nibble_shift(16, first);
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = d * non_linear_level(bytes[j] >> shift & 15);
    }
};

// 17 bytes: the one format whose blocks begin at odd addresses.
template <> struct Blocks<TYPE_MXFP4> {
    static const int SIZE = 32;
    DEVICE void decode(const u8 *block, int first, float *v) {
        // Half of 2^(e - 127), since the numbers it goes with are doubled; the two smallest are subnormal.
        u32 e = block[0];
        float d = __uint_as_float(e < 2 ? 0x200000u << e : (e - 1) << 23);
        Eight bytes = load_eight_unaligned(block + 1 + nibble_byte(16, first));
        int shift = nibble_shift(16, first);
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = fp4_doubled(bytes[j] >> shift & 15) * d;
    }
};

template <> struct Blocks<TYPE_NVFP4> {
    static const int SIZE = 64;
    // Half of an e4m3 number: three bits of fraction, four of exponent with a bias of 7, the sign not used.
    DEVICE float scale(int code) {
        if (code == 0x7f) return 0;
        int exponent = code >> 3 & 15, fraction = code & 7;
        return exponent == 0 ? fraction * 0x1p-10f
                             : (8 + fraction) * __uint_as_float((u32) (exponent - 11 + 127) << 23);
    }
    DEVICE void decode(const u8 *block, int first, float *v) {
        float d = scale(block[first / 16]);
        Eight bytes = load_eight(block + 4 + nibble_byte(8, first));
        int shift = nibble_shift(8, first);
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = fp4_doubled(bytes[j] >> shift & 15) * d;
    }
};

// ---- K-quants, 256 elements

template <> struct Blocks<TYPE_Q2_K> {
    static const int SIZE = 256;
    DEVICE void decode(const u8 *block, int first, float *v) {
        int codes = block[first / 16];
        float scale = load_half(block + 80) * (codes & 15), min = load_half(block + 82) * (codes >> 4);
        Eight bytes = load_eight(block + 16 + two_bits_byte(first));
        int shift = two_bits_shift(first);
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = scale * (bytes[j] >> shift & 3) - min;
    }
};

template <> struct Blocks<TYPE_Q3_K> {
    static const int SIZE = 256;
    DEVICE void decode(const u8 *block, int first, float *v) {
        int group = first / 16;
        int code = (block[96 + group % 8] >> (group / 8 * 4) & 15) | (block[104 + group % 4] >> (group / 4 * 2) & 3) << 4;
        float scale = load_half(block + 108) * (code - 32);
        Eight thirds = load_eight(block + first % 32);
        Eight bytes = load_eight(block + 32 + two_bits_byte(first));
        int shift = two_bits_shift(first), bit = first / 32;
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = scale * (((bytes[j] >> shift & 3) | (thirds[j] >> bit & 1) << 2) - 4);
    }
};

// What q4_K and q5_K begin with: d, m, and eight scales and eight minima of six bits each in twelve bytes. The first
// four of each have a byte of their own, whose two spare bits hold the top of the other four.
struct AffineGroup {
    float scale, min;
    __device__ __forceinline__ AffineGroup(const u8 *block, int group) {
        const u8 *p = block + 4;
        int s, m;
        if (group < 4) {
            s = p[group] & 63;
            m = p[group + 4] & 63;
        } else {
            s = (p[group + 4] & 15) | p[group - 4] >> 6 << 4;
            m = p[group + 4] >> 4 | p[group] >> 6 << 4;
        }
        scale = load_half(block) * s;
        min = load_half(block + 2) * m;
    }
};

template <> struct Blocks<TYPE_Q4_K> {
    static const int SIZE = 256;
    DEVICE void decode(const u8 *block, int first, float *v) {
        AffineGroup group(block, first / 32);
        Eight bytes = load_eight(block + 16 + nibble_byte(32, first));
        int shift = nibble_shift(32, first);
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = group.scale * (bytes[j] >> shift & 15) - group.min;
    }
};

template <> struct Blocks<TYPE_Q5_K> {
    static const int SIZE = 256;
    DEVICE void decode(const u8 *block, int first, float *v) {
        AffineGroup group(block, first / 32);
        Eight fifths = load_eight(block + 16 + first % 32);
        Eight bytes = load_eight(block + 48 + nibble_byte(32, first));
        int shift = nibble_shift(32, first), bit = first / 32;
#pragma unroll
        for (int j = 0; j < 8; j++)
            v[j] = group.scale * ((bytes[j] >> shift & 15) | (fifths[j] >> bit & 1) << 4) - group.min;
    }
};

template <> struct Blocks<TYPE_Q6_K> {
    static const int SIZE = 256;
    DEVICE void decode(const u8 *block, int first, float *v) {
        float scale = load_half(block + 208) * (i8) block[192 + first / 16];
        Eight low = load_eight(block + nibble_byte(64, first));
        Eight high = load_eight(block + 128 + two_bits_byte(first));
        int low_shift = nibble_shift(64, first), high_shift = two_bits_shift(first);
#pragma unroll
        for (int j = 0; j < 8; j++)
            v[j] = scale * (((low[j] >> low_shift & 15) | (high[j] >> high_shift & 3) << 4) - 32);
    }
};

template <> struct Blocks<TYPE_IQ4_XS> {
    static const int SIZE = 256;
    DEVICE void decode(const u8 *block, int first, float *v) {
        int group = first / 32;
        int code = (block[4 + group / 2] >> (group % 2 * 4) & 15) | (load_u16(block + 2) >> (group * 2) & 3) << 4;
        float scale = load_half(block) * (code - 32);
        Eight bytes = load_eight(block + 8 + nibble_byte(16, first));
        int shift = nibble_shift(16, first);
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = scale * non_linear_level(bytes[j] >> shift & 15);
    }
};

// ---- points of codebooks, 256 elements; see codebooks.cuh for how coordinates are packed

// Eight magnitudes 8, 25 or 43 with signs: what the iq2 formats share.
DEVICE void decode_iq2(u32 point, int signs, float scale, float *v) {
#pragma unroll
    for (int j = 0; j < 8; j++) {
        int level = point >> (2 * j) & 3;
        v[j] = signed_by(signs, j, scale * (level == 0 ? 8 : level == 1 ? 25 : 43));
    }
}

template <> struct Blocks<TYPE_IQ2_XXS> {
    static const int SIZE = 256;
    DEVICE void decode(const u8 *block, int first, float *v) {
        const u8 *group = block + 2 + first / 32 * 8;
        int eight = first / 8 % 4;
        u32 bits = load_u32(group + 4);
        float scale = load_half(block) * (0.5f + (bits >> 28)) * 0.25f;
        decode_iq2(codebook_iq2_xxs[group[eight]], eight_signs(bits >> (eight * 7) & 127), scale, v);
    }
};

template <> struct Blocks<TYPE_IQ2_XS> {
    static const int SIZE = 256;
    DEVICE void decode(const u8 *block, int first, float *v) {
        int group = first / 16;
        u32 bits = load_u16(block + 2 + first / 8 * 2);
        float scale = load_half(block) * (0.5f + (block[66 + group / 2] >> (group % 2 * 4) & 15)) * 0.25f;
        decode_iq2(codebook_iq2_xs[bits & 511], eight_signs(bits >> 9), scale, v);
    }
};

template <> struct Blocks<TYPE_IQ2_S> {
    static const int SIZE = 256;
    DEVICE void decode(const u8 *block, int first, float *v) {
        int group = first / 16, point = first / 8;
        int number = block[2 + point] | (block[66 + point / 4] >> (point % 4 * 2) & 3) << 8;
        float scale = load_half(block) * (0.5f + (block[74 + group / 2] >> (group % 2 * 4) & 15)) * 0.25f;
        decode_iq2(codebook_iq2_s[number], block[34 + point], scale, v);
    }
};

template <> struct Blocks<TYPE_IQ3_XXS> {
    static const int SIZE = 256;
    DEVICE void decode(const u8 *block, int first, float *v) {
        u32 bits = load_u32(block + 66 + first / 32 * 4);
        int signs = eight_signs(bits >> (first / 8 % 4 * 7) & 127);
        float scale = load_half(block) * (0.5f + (bits >> 28)) * 0.5f;
        u32 points = codebook_iq3_xxs[block[2 + first / 4]] | (u32) codebook_iq3_xxs[block[3 + first / 4]] << 12;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            int level = points >> (3 * j) & 7;
            v[j] = signed_by(signs, j, scale * (level == 7 ? 62 : 4 + 8 * level));
        }
    }
};

template <> struct Blocks<TYPE_IQ3_S> {
    static const int SIZE = 256;
    DEVICE u32 point(const u8 *block, int i) {
        return codebook_iq3_s[block[2 + i] | (block[66 + i / 8] >> (i % 8) & 1) << 8];
    }
    DEVICE void decode(const u8 *block, int first, float *v) {
        int group = first / 32, signs = block[74 + first / 8];
        float scale = load_half(block) * (1 + 2 * (block[106 + group / 2] >> (group % 2 * 4) & 15));
        u32 points = point(block, first / 4) | point(block, first / 4 + 1) << 12;
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = signed_by(signs, j, scale * (1 + 2 * (int) (points >> (3 * j) & 7)));
    }
};

// Eight coordinates -1, 0 and 1, shifted up or down by an eighth: what the iq1 formats share.
DEVICE void decode_iq1(u32 point, bool down, float scale, float *v) {
    float shift = down ? -1.125f : -0.875f;
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = scale * ((int) (point >> (2 * j) & 3) + shift);
}

template <> struct Blocks<TYPE_IQ1_S> {
    static const int SIZE = 256;
    DEVICE void decode(const u8 *block, int first, float *v) {
        int point = first / 8;
        int bits = load_u16(block + 34 + first / 32 * 2);
        int number = block[2 + point] | (bits >> (point % 4 * 3) & 7) << 8;
        float scale = load_half(block) * (2 * (bits >> 12 & 7) + 1);
        decode_iq1(codebook_iq1[number], bits >> 15 & 1, scale, v);
    }
};

template <> struct Blocks<TYPE_IQ1_M> {
    static const int SIZE = 256;
    DEVICE void decode(const u8 *block, int first, float *v) {
        int point = first / 8, group = first / 16;
        int high = block[32 + point / 2] >> (point % 2 * 4) & 15;
        // The top four bits of four words are the scale of the block, the rest scales of groups.
        u32 half = 0;
#pragma unroll
        for (int i = 0; i < 4; i++) half |= load_u16(block + 48 + 2 * i) >> 12 << (4 * i);
        int code = load_u16(block + 48 + group / 4 * 2) >> (group % 4 * 3) & 7;
        float scale = half_to_float((u16) half) * (2 * code + 1);
        decode_iq1(codebook_iq1[block[point] | (high & 7) << 8], high & 8, scale, v);
    }
};

// ---- three levels, 256 elements

template <> struct Blocks<TYPE_TQ2_0> {
    static const int SIZE = 256;
    DEVICE void decode(const u8 *block, int first, float *v) {
        float d = load_half(block + 64);
        Eight bytes = load_eight(block + two_bits_byte(first));
        int shift = two_bits_shift(first);
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = ((bytes[j] >> shift & 3) - 1) * d;
    }
};

// A byte is a fraction in base three: multiplying by three pushes one digit after the other out of its top.
template <> struct Blocks<TYPE_TQ1_0> {
    static const int SIZE = 256;
    DEVICE int digit(const u8 *block, int i) {
        int from, bytes, base;
        if (i < 160) {
            from = 0, bytes = 32, base = 0;
        } else if (i < 240) {
            from = 160, bytes = 16, base = 32;
        } else {
            from = 240, bytes = 4, base = 48;
        }
        int number = (i - from) / bytes;
        int power = number == 0 ? 1 : number == 1 ? 3 : number == 2 ? 9 : number == 3 ? 27 : 81;
        int fraction = block[base + (i - from) % bytes] * power & 0xff;
        return fraction * 3 >> 8;
    }
    DEVICE void decode(const u8 *block, int first, float *v) {
        float d = load_half(block + 52);
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = (digit(block, first + j) - 1) * d;
    }
};

// Calls X(suffix of kernel names, type) for every quantised format.
#define FOR_EACH_BLOCK_FORMAT(X) \
    X(q4_0, TYPE_Q4_0) X(q4_1, TYPE_Q4_1) X(q5_0, TYPE_Q5_0) X(q5_1, TYPE_Q5_1) X(q8_0, TYPE_Q8_0) \
    X(q2_k, TYPE_Q2_K) X(q3_k, TYPE_Q3_K) X(q4_k, TYPE_Q4_K) X(q5_k, TYPE_Q5_K) X(q6_k, TYPE_Q6_K) \
    X(iq2_xxs, TYPE_IQ2_XXS) X(iq2_xs, TYPE_IQ2_XS) X(iq2_s, TYPE_IQ2_S) \
    X(iq3_xxs, TYPE_IQ3_XXS) X(iq3_s, TYPE_IQ3_S) X(iq1_s, TYPE_IQ1_S) X(iq1_m, TYPE_IQ1_M) \
    X(iq4_nl, TYPE_IQ4_NL) X(iq4_xs, TYPE_IQ4_XS) X(tq1_0, TYPE_TQ1_0) X(tq2_0, TYPE_TQ2_0) \
    X(mxfp4, TYPE_MXFP4) X(nvfp4, TYPE_NVFP4) X(q1_0, TYPE_Q1_0) X(q2_0, TYPE_Q2_0)
