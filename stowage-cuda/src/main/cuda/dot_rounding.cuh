// What the other factor of quantised weights is rounded to before it is multiplied: ggml's processor kernels take numbers
// of eight bits with a scale for every block, and the logits of a model show it. Formats of 32 to 128 elements take blocks
// of 32 whose scale is an f16, formats of 256 elements blocks of 256 whose scale is an f32. As DotType of the reference.
#pragma once
#include "common.cuh"

// Added to a float between -2^22 and 2^22 and taken away again, this leaves the nearest whole number, ties to even.
#define TO_WHOLE 12582912.0f

// Rounds eight consecutive elements in each of BLOCK / 8 neighbouring threads, which have a block of them together. All
// threads of the warp get here. A block with infinities or NaN stays as it is.
template <int BLOCK> DEVICE void round_to_eight_bits(float *v) {
    // As whole numbers, magnitudes of finite floats are in order, and those of infinities and NaN above all of them.
    u32 most = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) most = max(most, __float_as_uint(v[j]) & 0x7fffffffu);
#pragma unroll
    for (int o = 1; o < BLOCK / 8; o <<= 1) most = max(most, __shfl_xor_sync(0xffffffffu, most, o));
    if (most >= 0x7f800000u) return;
    const float largest = __uint_as_float(most);
    // Of a block whose inverse would be infinite nothing is left.
    const float inverse = largest > 0x1p-119f ? __fdiv_rn(127.0f, largest) : 0.0f;
    float scale = __fdiv_rn(largest, 127.0f);
    if (BLOCK == 32) scale = half_to_float(float_to_half(scale));
#pragma unroll
    for (int j = 0; j < 8; j++) {
        v[j] = __fmul_rn(__fsub_rn(__fadd_rn(__fmul_rn(v[j], inverse), TO_WHOLE), TO_WHOLE), scale);
    }
}

// How tokens are rounded for tensor cores: to the type alone, or to eight bits before.
enum Rounding { ROUND_F16 = 1, ROUND_BF16 = 2, ROUND_BLOCKS_OF_32 = 32, ROUND_BLOCKS_OF_256 = 256 };

// Eight consecutive elements of a token, rounded, as 16 bytes. All threads of the warp get here; `is_stored` says whose
// elements there are.
template <int ROUNDING> DEVICE void store_token(u16 *out, float *v, bool is_stored) {
    if (ROUNDING >= 32) round_to_eight_bits<ROUNDING>(v);
    u32 pairs[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const float a = v[2 * j], b = v[2 * j + 1];
        pairs[j] = ROUNDING == ROUND_BF16 ? float_to_bfloat(a) | (u32) float_to_bfloat(b) << 16
                                          : float_to_half(a) | (u32) float_to_half(b) << 16;
    }
    if (is_stored) *(uint4 *) out = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
}
