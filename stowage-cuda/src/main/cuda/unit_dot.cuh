// Products of units with activations: what one lane of a warp does for its 32 (f16, bf16: 8) weights of 4 rows.
//
// Activations of quantised weights are int8 with a scale for every 16 (which those of a longer block share), 1536 bytes for
// 1024 of them:
//
//   [2][32 lanes][16] int8   the first and the last 16 of the 32 activations of a lane       at    0
//   [32 lanes] float4        {scale 0, scale 1, scale 0 * sum 0, scale 1 * sum 1}            at 1024
//
// so that a lane loads three times 16 bytes for 4 rows, whatever the type of the weights. Those of f16 and bf16 are
// floats, 1024 bytes for 256 of them: [2][32 lanes][4 floats].
#pragma once
#include "unit_layout.cuh"
#include "unit_quantize.cuh"
#include "unit_ptx.cuh"

#define METHOD __device__ __forceinline__

// Where a lane loads a unit from: shared memory that a copy has filled, or device memory.
struct SharedUnit {
    DEVICE uint4 load16(const u8 *p) { return *(const uint4 *) p; }
    DEVICE uint2 load8(const u8 *p) { return *(const uint2 *) p; }
    DEVICE u32 load4(const u8 *p) { return *(const u32 *) p; }
    DEVICE u32 load2(const u8 *p) { return *(const u16 *) p; }
};
struct DeviceUnit {
    DEVICE uint4 load16(const u8 *p) { return stream_uint4(p); }
    DEVICE uint2 load8(const u8 *p) { return stream_uint2(p); }
    DEVICE u32 load4(const u8 *p) { return stream_u32(p); }
    DEVICE u32 load2(const u8 *p) { return stream_u16(p); }
};

DEVICE float low_half(u32 v) { return half_to_float((u16) (v & 0xffff)); }
DEVICE float high_half(u32 v) { return half_to_float((u16) (v >> 16)); }
// Half r of four.
DEVICE float half_of(const uint2 &v, int r) {
    u32 word = r < 2 ? v.x : v.y;
    return r & 1 ? high_half(word) : low_half(word);
}
DEVICE u32 word_of(const uint4 &v, int i) { return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w; }
// Byte i of v as a float, by the bits of 2^23 + byte: conversions of integers are slow.
DEVICE float byte_to_float(u32 v, int i) {
    return __uint_as_float(__byte_perm(v, 0x4B000000u, 0x7440u + i)) - 8388608.f;
}
// Sums of integers start here, so that their bits are those of the float 1.5 * 2^23 + sum (|sum| < 2^22).
const int INTEGER_ZERO = 0x4B400000;
DEVICE float sum_to_float(int sum) { return __int_as_float(sum) - 12582912.f; }

const u32 LOW_NIBBLES = 0x0f0f0f0fu;
const u32 HIGH_NIBBLES = 0xf0f0f0f0u;

// The weights of a lane in registers.
//   load       from a unit of that many lanes
//   expand     the weights of row r as words of 4 bytes: the first 16 in low, the last 16 in high
//   result     what row r adds to its product, from the sums of its bytes times those of the activations
// The high nibbles of q4_0 and q4_K are not shifted down: their sums are 16 times as large, which result() corrects once.
template <int TYPE> struct UnitWeights;

template <> struct UnitWeights<TYPE_Q4_0> {
    static const bool SIGNED = false;
    uint4 q[4];
    uint2 d;
    template <class S> METHOD void load(const u8 *unit, int lanes, int lane) {
#pragma unroll
        for (int r = 0; r < 4; r++) q[r] = S::load16(unit + (r * lanes + lane) * 16);
        d = S::load8(unit + 64 * lanes + lane * 8);
    }
    METHOD void expand(int r, u32 *low, u32 *high) const {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            low[i] = word_of(q[r], i) & LOW_NIBBLES;
            high[i] = word_of(q[r], i) & HIGH_NIBBLES;
        }
    }
    METHOD float result(int r, float low, float high, const float4 &a) const {
        return half_of(d, r) * (a.x * low + (a.y * 0.0625f * high + (a.z + a.w) * -8.f));
    }
};

template <> struct UnitWeights<TYPE_Q8_0> {
    static const bool SIGNED = true;
    uint4 q[4][2];
    uint2 d;
    template <class S> METHOD void load(const u8 *unit, int lanes, int lane) {
#pragma unroll
        for (int r = 0; r < 4; r++) {
            q[r][0] = S::load16(unit + (r * 2 * lanes + lane) * 16);
            q[r][1] = S::load16(unit + ((r * 2 + 1) * lanes + lane) * 16);
        }
        d = S::load8(unit + 128 * lanes + lane * 8);
    }
    METHOD void expand(int r, u32 *low, u32 *high) const {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            low[i] = word_of(q[r][0], i);
            high[i] = word_of(q[r][1], i);
        }
    }
    METHOD float result(int r, float low, float high, const float4 &a) const {
        return half_of(d, r) * (a.x * low + a.y * high);
    }
};

// Scales and minima of q4_K and q5_K: those of 4 rows in the bytes of a word.
struct AffineScales {
    u32 scale, min;
    uint4 d;
    template <class S> METHOD void load(const u8 *at, int lanes, int lane) {
        u32 low = S::load4(at + lane * 4);
        u32 nibbles = S::load2(at + 4 * lanes + lane * 2);
        d = S::load16(at + 6 * lanes + (lane >> 3) * 16);
        scale = low & 0x3f3f3f3fu;
        // The four nibbles of the minima into four bytes, and the two bits that are with the scales below them.
        nibbles = (nibbles | nibbles << 8) & 0x00ff00ffu;
        nibbles = (nibbles | nibbles << 4) & LOW_NIBBLES;
        min = nibbles << 2 | (low >> 6 & 0x03030303u);
    }
    METHOD float result(int r, float product, float sum) const {
        u32 both = word_of(d, r);
        return low_half(both) * byte_to_float(scale, r) * product - high_half(both) * byte_to_float(min, r) * sum;
    }
};

template <> struct UnitWeights<TYPE_Q4_K> {
    static const bool SIGNED = false;
    uint4 q[4];
    AffineScales s;
    template <class S> METHOD void load(const u8 *unit, int lanes, int lane) {
#pragma unroll
        for (int r = 0; r < 4; r++) q[r] = S::load16(unit + (r * lanes + lane) * 16);
        s.load<S>(unit + 64 * lanes, lanes, lane);
    }
    METHOD void expand(int r, u32 *low, u32 *high) const {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            low[i] = word_of(q[r], i) & LOW_NIBBLES;
            high[i] = word_of(q[r], i) & HIGH_NIBBLES;
        }
    }
    METHOD float result(int r, float low, float high, const float4 &a) const {
        return s.result(r, a.x * low + a.y * 0.0625f * high, a.z + a.w);
    }
};

template <> struct UnitWeights<TYPE_Q5_K> {
    static const bool SIGNED = false;
    uint4 q[4];
    uint4 fifth;
    AffineScales s;
    template <class S> METHOD void load(const u8 *unit, int lanes, int lane) {
#pragma unroll
        for (int r = 0; r < 4; r++) q[r] = S::load16(unit + (r * lanes + lane) * 16);
        fifth = S::load16(unit + 64 * lanes + lane * 16);
        s.load<S>(unit + 80 * lanes, lanes, lane);
    }
    METHOD void expand(int r, u32 *low, u32 *high) const {
        const u32 bit = 0x10101010u;
        u32 h = word_of(fifth, r);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            low[i] = (word_of(q[r], i) & LOW_NIBBLES) | (h << (4 - i) & bit);
            high[i] = (word_of(q[r], i) >> 4 & LOW_NIBBLES) | (h >> i & bit);
        }
    }
    METHOD float result(int r, float low, float high, const float4 &a) const {
        return s.result(r, a.x * low + a.y * high, a.z + a.w);
    }
};

template <> struct UnitWeights<TYPE_Q6_K> {
    static const bool SIGNED = false;
    uint4 q[4];
    // The high bits of rows 0 and 1, and of 2 and 3.
    uint4 bits[2];
    // Scales biased by 128: the first and the last 16 weights of rows 0, 0, 1, 1 and 2, 2, 3, 3.
    uint2 scale;
    uint2 d;
    template <class S> METHOD void load(const u8 *unit, int lanes, int lane) {
#pragma unroll
        for (int r = 0; r < 4; r++) q[r] = S::load16(unit + (r * lanes + lane) * 16);
        bits[0] = S::load16(unit + 64 * lanes + lane * 16);
        bits[1] = S::load16(unit + 64 * lanes + (lanes + lane) * 16);
        scale = S::load8(unit + 96 * lanes + lane * 8);
        d = S::load8(unit + 104 * lanes + (lane >> 3) * 8);
        scale.x ^= 0x80808080u;
        scale.y ^= 0x80808080u;
    }
    METHOD void expand(int r, u32 *low, u32 *high) const {
        const u32 two = 0x30303030u;
        u32 l = r & 1 ? bits[r >> 1].z : bits[r >> 1].x;
        u32 h = r & 1 ? bits[r >> 1].w : bits[r >> 1].y;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            low[i] = (word_of(q[r], i) & LOW_NIBBLES) | ((i < 2 ? l << (4 - 2 * i) : l >> (2 * i - 4)) & two);
            high[i] = (word_of(q[r], i) >> 4 & LOW_NIBBLES) | ((i < 2 ? h << (4 - 2 * i) : h >> (2 * i - 4)) & two);
        }
    }
    METHOD float scale_of(int r, int half) const {
        return byte_to_float(r < 2 ? scale.x : scale.y, (r & 1) * 2 + half) - 128.f;
    }
    METHOD float result(int r, float low, float high, const float4 &a) const {
        return half_of(d, r)
                * (scale_of(r, 0) * (a.x * low + a.z * -32.f) + scale_of(r, 1) * (a.y * high + a.w * -32.f));
    }
};

template <int TYPE> struct HalfWeights {
    uint4 q[4];
    template <class S> METHOD void load(const u8 *unit, int lanes, int lane) {
#pragma unroll
        for (int r = 0; r < 4; r++) q[r] = S::load16(unit + (r * lanes + lane) * 16);
    }
    METHOD float dot(int r, const float4 &a, const float4 &b, float sum) const {
        const float x[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
            u32 w = word_of(q[r], i);
            sum = fmaf(TYPE == TYPE_F16 ? low_half(w) : __uint_as_float(w << 16), x[2 * i], sum);
            sum = fmaf(TYPE == TYPE_F16 ? high_half(w) : __uint_as_float(w & 0xffff0000u), x[2 * i + 1], sum);
        }
        return sum;
    }
};
template <> struct UnitWeights<TYPE_F16> : HalfWeights<TYPE_F16> {};
template <> struct UnitWeights<TYPE_BF16> : HalfWeights<TYPE_BF16> {};

// Activations as the weights of a type need them: the bytes of a step of them, and the product with a unit. Activations of
// further tokens follow stride bytes apart.
template <int TYPE> struct UnitActivations {
    static const int STEP_BYTES = 1536;
    template <int TOKENS>
    DEVICE void multiply(const UnitWeights<TYPE> &w, const u8 *step, i64 stride, int lane, float acc[TOKENS][4]) {
        uint4 a[TOKENS], b[TOKENS];
        float4 scales[TOKENS];
#pragma unroll
        for (int t = 0; t < TOKENS; t++) {
            const u8 *p = step + t * stride + lane * 16;
            a[t] = *(const uint4 *) p;
            b[t] = *(const uint4 *) (p + 512);
            scales[t] = *(const float4 *) (p + 1024);
        }
#pragma unroll
        for (int r = 0; r < 4; r++) {
            u32 low[4], high[4];
            w.expand(r, low, high);
#pragma unroll
            for (int t = 0; t < TOKENS; t++) {
                int x = INTEGER_ZERO, y = INTEGER_ZERO;
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    x = UnitWeights<TYPE>::SIGNED ? dot_signed(low[i], word_of(a[t], i), x) : dot_unsigned(low[i], word_of(a[t], i), x);
                    y = UnitWeights<TYPE>::SIGNED ? dot_signed(high[i], word_of(b[t], i), y) : dot_unsigned(high[i], word_of(b[t], i), y);
                }
                acc[t][r] += w.result(r, sum_to_float(x), sum_to_float(y), scales[t]);
            }
        }
    }
};
template <int TYPE> struct FloatActivations {
    static const int STEP_BYTES = 1024;
    template <int TOKENS>
    DEVICE void multiply(const UnitWeights<TYPE> &w, const u8 *step, i64 stride, int lane, float acc[TOKENS][4]) {
#pragma unroll
        for (int t = 0; t < TOKENS; t++) {
            const u8 *p = step + t * stride + lane * 16;
            float4 a = *(const float4 *) p;
            float4 b = *(const float4 *) (p + 512);
#pragma unroll
            for (int r = 0; r < 4; r++) acc[t][r] = w.dot(r, a, b, acc[t][r]);
        }
    }
};
template <> struct UnitActivations<TYPE_F16> : FloatActivations<TYPE_F16> {};
template <> struct UnitActivations<TYPE_BF16> : FloatActivations<TYPE_BF16> {};

// Four activations rounded as they meet halves.
template <int TYPE> DEVICE float4 narrowed(const float4 &v) {
    if (TYPE == TYPE_BF16)
        return make_float4(bfloat_to_float(float_to_bfloat(v.x)), bfloat_to_float(float_to_bfloat(v.y)),
                bfloat_to_float(float_to_bfloat(v.z)), bfloat_to_float(float_to_bfloat(v.w)));
    return make_float4(half_to_float(float_to_half(v.x)), half_to_float(float_to_half(v.y)),
            half_to_float(float_to_half(v.z)), half_to_float(float_to_half(v.w)));
}

// Sums 4 values over the warp in 6 shuffles; all 8 lanes of octet o have the sum of value o.
DEVICE float warp_sum4(const float a[4], int lane) {
    const u32 all = 0xffffffffu;
    bool upper = lane & 16;
    float x = upper ? a[2] : a[0], y = upper ? a[3] : a[1];
    x += __shfl_xor_sync(all, upper ? a[0] : a[2], 16);
    y += __shfl_xor_sync(all, upper ? a[1] : a[3], 16);
    bool odd = lane & 8;
    float v = odd ? y : x;
    v += __shfl_xor_sync(all, odd ? x : y, 8);
    v += __shfl_xor_sync(all, v, 4);
    v += __shfl_xor_sync(all, v, 2);
    v += __shfl_xor_sync(all, v, 1);
    return v;
}

// One of four by a number that is not known at compile time, without an array in local memory.
template <class T> DEVICE T select4(const T (&v)[4], int i) { return i == 0 ? v[0] : i == 1 ? v[1] : i == 2 ? v[2] : v[3]; }

// A gated unit by its number: as the class UnitProduct numbers them.
DEVICE float glu(int function, float gate, float up) {
    switch (function) {
        case 1: return fmaxf(gate, 0.f) * up;
        case 2: return 0.5f * gate * (1.f + tanhf(0.79788456080286535588f * gate * (1.f + 0.044715f * gate * gate))) * up;
        case 3: return __fdividef(gate, 1.f + __expf(-gate)) * up;
        case 5: return 0.5f * gate * (1.f + erff(gate * 0.70710678118654752440f)) * up;
        default: return gate / (1.f + __expf(-1.702f * gate)) * up;
    }
}
