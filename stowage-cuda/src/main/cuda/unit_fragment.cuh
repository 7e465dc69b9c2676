// Weights of units as operands of matrix instructions (m16n8k16): a thread has all 32 weights of a row that one lane of a
// unit has (f16, bf16: those of four lanes), and turns them into pairs of halves.
//
// Which weight is which k of an instruction does not matter as long as the tokens are in the same order, so the order is
// the one in which weights are cheap to unpack. Of 128 weights of a row, thread t of a quad has weights 32 t .. 32 t + 31;
// word j (0..3) of them gives four pairs, of which two are a thread's k of one instruction:
//
//              instruction 2 j                 instruction 2 j + 1
//   quantised  (4j, 4j + 2) (4j + 16, 4j + 18)   (4j + 1, 4j + 3) (4j + 17, 4j + 19)
//   f16, bf16  (8j, 8j + 1) (8j + 2, 8j + 3)     (8j + 4, 8j + 5) (8j + 6, 8j + 7)
#pragma once
#include "unit_dot.cuh"

DEVICE u32 half2_of(float v) { return float_to_half(v) * 0x10001u; }

// The bits of 1024 + n, for n in the low bits of both halves.
const u32 HALF2_1024 = 0x64006400u;
// Bytes 0 and 2, and bytes 1 and 3, of a word as the halves 1024 + byte.
DEVICE u32 even_bytes(u32 v) { return __byte_perm(v, 0x64646464u, 0x4240u); }
DEVICE u32 odd_bytes(u32 v) { return __byte_perm(v, 0x64646464u, 0x4341u); }

// The nibbles of a word of q4_0, q4_K: four pairs of integers 0..15, less BIAS.
template <int BIAS> DEVICE void nibble_pairs(u32 v, u32 *pairs) {
    // The halves 1024 + BIAS, and -64 - BIAS.
    const u32 bias = HALF2_1024 + BIAS * 0x10001u, high = BIAS == 8 ? 0xd480d480u : 0xd400d400u;
    pairs[0] = half2_sub((v & 0x000f000fu) | HALF2_1024, bias);
    // 1024 + 16 n, divided by 16, less 64.
    pairs[1] = half2_fma((v & 0x00f000f0u) | HALF2_1024, 0x2c002c00u, high);
    v >>= 8;
    pairs[2] = half2_sub((v & 0x000f000fu) | HALF2_1024, bias);
    pairs[3] = half2_fma((v & 0x00f000f0u) | HALF2_1024, 0x2c002c00u, high);
}

// load: from a unit of that many lanes, for row r of its 4; nothing is computed with what is loaded, so that nothing waits
// for it. prepare: computes scales, once for each load. pairs: four pairs of word j.
template <int TYPE> struct UnitFragment;

template <> struct UnitFragment<TYPE_Q4_0> {
    uint4 q;
    u32 scale;
    METHOD void clear() { q = make_uint4(0, 0, 0, 0); scale = 0; }
    METHOD void load(const u8 *unit, int lanes, int lane, int r) {
        q = stream_uint4(unit + (r * lanes + lane) * 16);
        scale = stream_u16(unit + 64 * lanes + lane * 8 + r * 2);
    }
    METHOD void prepare(int r) { scale *= 0x10001u; }
    METHOD void pairs(int j, u32 *to) const {
        nibble_pairs<8>(word_of(q, j), to);
#pragma unroll
        for (int i = 0; i < 4; i++) to[i] = half2_mul(to[i], scale);
    }
};

template <> struct UnitFragment<TYPE_Q8_0> {
    uint4 low, high;
    u32 scale;
    METHOD void clear() { low = high = make_uint4(0, 0, 0, 0); scale = 0; }
    METHOD void load(const u8 *unit, int lanes, int lane, int r) {
        low = stream_uint4(unit + (r * 2 * lanes + lane) * 16);
        high = stream_uint4(unit + ((r * 2 + 1) * lanes + lane) * 16);
        scale = stream_u16(unit + 128 * lanes + lane * 8 + r * 2);
    }
    METHOD void prepare(int r) { scale *= 0x10001u; }
    METHOD void pairs(int j, u32 *to) const {
        // Bytes biased by 128, so that 1152 is subtracted.
        const u32 bias = 0x64806480u;
        u32 l = word_of(low, j) ^ 0x80808080u, h = word_of(high, j) ^ 0x80808080u;
        to[0] = half2_mul(half2_sub(even_bytes(l), bias), scale);
        to[1] = half2_mul(half2_sub(even_bytes(h), bias), scale);
        to[2] = half2_mul(half2_sub(odd_bytes(l), bias), scale);
        to[3] = half2_mul(half2_sub(odd_bytes(h), bias), scale);
    }
};

// Scale and minimum of 32 weights of q4_K and q5_K: once prepared, pairs of equal halves, of which the minimum is negative.
struct AffineScale {
    // Before that, the words that they are in.
    u32 scale, min, d;
    METHOD void clear() { scale = min = d = 0; }
    METHOD void load(const u8 *at, int lanes, int lane, int r) {
        scale = stream_u32(at + lane * 4);
        min = stream_u16(at + 4 * lanes + lane * 2);
        d = stream_u32(at + 6 * lanes + (lane >> 3) * 16 + r * 4);
    }
    METHOD void prepare(int r) {
        u32 low = scale >> 8 * r, high = min >> 4 * r;
        scale = half2_of(low_half(d) * (float) (low & 63));
        min = half2_of(-high_half(d) * (float) ((low >> 6 & 3) | (high & 15) << 2));
    }
};

template <> struct UnitFragment<TYPE_Q4_K> {
    uint4 q;
    AffineScale s;
    METHOD void clear() { q = make_uint4(0, 0, 0, 0); s.clear(); }
    METHOD void load(const u8 *unit, int lanes, int lane, int r) {
        q = stream_uint4(unit + (r * lanes + lane) * 16);
        s.load(unit + 64 * lanes, lanes, lane, r);
    }
    METHOD void prepare(int r) { s.prepare(r); }
    METHOD void pairs(int j, u32 *to) const {
        nibble_pairs<0>(word_of(q, j), to);
#pragma unroll
        for (int i = 0; i < 4; i++) to[i] = half2_fma(to[i], s.scale, s.min);
    }
};

template <> struct UnitFragment<TYPE_Q5_K> {
    uint4 q;
    u32 fifth;
    AffineScale s;
    METHOD void clear() { q = make_uint4(0, 0, 0, 0); fifth = 0; s.clear(); }
    METHOD void load(const u8 *unit, int lanes, int lane, int r) {
        q = stream_uint4(unit + (r * lanes + lane) * 16);
        fifth = stream_u32(unit + 64 * lanes + lane * 16 + r * 4);
        s.load(unit + 80 * lanes, lanes, lane, r);
    }
    METHOD void prepare(int r) { s.prepare(r); }
    METHOD void pairs(int j, u32 *to) const {
        const u32 bit = 0x10101010u;
        u32 l = (word_of(q, j) & LOW_NIBBLES) | (fifth << (4 - j) & bit);
        u32 h = (word_of(q, j) >> 4 & LOW_NIBBLES) | (fifth >> j & bit);
        to[0] = half2_fma(half2_sub(even_bytes(l), HALF2_1024), s.scale, s.min);
        to[1] = half2_fma(half2_sub(even_bytes(h), HALF2_1024), s.scale, s.min);
        to[2] = half2_fma(half2_sub(odd_bytes(l), HALF2_1024), s.scale, s.min);
        to[3] = half2_fma(half2_sub(odd_bytes(h), HALF2_1024), s.scale, s.min);
    }
};

template <> struct UnitFragment<TYPE_Q6_K> {
    uint4 q;
    uint2 bits;
    // Scales of the first and the last 16 weights; before they are prepared, both as integers, and their factor.
    u32 scale0, scale1;
    METHOD void clear() { q = make_uint4(0, 0, 0, 0); bits.x = bits.y = scale0 = scale1 = 0; }
    METHOD void load(const u8 *unit, int lanes, int lane, int r) {
        q = stream_uint4(unit + (r * lanes + lane) * 16);
        bits = stream_uint2(unit + 64 * lanes + ((r >> 1) * lanes + lane) * 16 + (r & 1) * 8);
        scale0 = stream_u16(unit + 96 * lanes + lane * 8 + r * 2);
        scale1 = stream_u16(unit + 104 * lanes + (lane >> 3) * 8 + r * 2);
    }
    METHOD void prepare(int r) {
        u32 both = scale0;
        float d = low_half(scale1);
        scale0 = half2_of(d * (float) (i8) (both & 255));
        scale1 = half2_of(d * (float) (i8) (both >> 8));
    }
    METHOD void pairs(int j, u32 *to) const {
        // 1024 + 32
        const u32 bias = 0x64206420u, two = 0x30303030u;
        u32 l = (word_of(q, j) & LOW_NIBBLES) | (j < 2 ? bits.x << (4 - 2 * j) & two : bits.x >> (2 * j - 4) & two);
        u32 h = (word_of(q, j) >> 4 & LOW_NIBBLES) | (j < 2 ? bits.y << (4 - 2 * j) & two : bits.y >> (2 * j - 4) & two);
        to[0] = half2_mul(half2_sub(even_bytes(l), bias), scale0);
        to[1] = half2_mul(half2_sub(even_bytes(h), bias), scale1);
        to[2] = half2_mul(half2_sub(odd_bytes(l), bias), scale0);
        to[3] = half2_mul(half2_sub(odd_bytes(h), bias), scale1);
    }
};

// The lane is the first of four; those past the end of the unit are zeros.
struct HalfFragment {
    uint4 q[4];
    METHOD void clear() {
#pragma unroll
        for (int i = 0; i < 4; i++) q[i] = make_uint4(0, 0, 0, 0);
    }
    METHOD void load(const u8 *unit, int lanes, int lane, int r) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            q[i] = lane + i < lanes ? stream_uint4(unit + (r * lanes + lane + i) * 16) : make_uint4(0, 0, 0, 0);
    }
    METHOD void prepare(int r) {}
    METHOD void pairs(int j, u32 *to) const {
        to[0] = q[j].x;
        to[1] = q[j].y;
        to[2] = q[j].z;
        to[3] = q[j].w;
    }
};
template <> struct UnitFragment<TYPE_F16> : HalfFragment {};
template <> struct UnitFragment<TYPE_BF16> : HalfFragment {};

// Loads 32 weights of a row: number block of the row, in the group of 4 rows at address; zeros past the end of the row.
template <int TYPE> DEVICE void load_fragment(UnitFragment<TYPE> &f, const u8 *group, const UnitRow &shape, int block, int r) {
    typedef UnitFormat<TYPE> F;
    int lane = block * (32 / F::LANE_WEIGHTS);
    int step = lane / UNIT_LANES;
    lane -= step * UNIT_LANES;
    int lanes = step < shape.full ? UNIT_LANES : shape.tail;
    if (step < shape.steps && lane < lanes) f.load(group + (i64) step * F::BYTES, lanes, lane, r);
    else f.clear();
}
