// Units as rows of halves (bf16 stays bf16), for products with many tokens.
//
// A warp takes a unit: eight weights of each of its 4 rows at a time, so that the 32 lanes of a warp store 512 contiguous
// bytes of one row at once. Of quantised weights that is a quarter of the unit, and four lanes share the 32 weights of a block:
//
//   quarter q   block  8 q     | 8 q + 1 | ..
//               lane   0 1 2 3 | 4 5 6 7 | ..     lane 4 b + s stores weights 8 s .. 8 s + 7 of block 8 q + b
#include "unit_fragment.cuh"

// The halves 1024 + byte, of bytes 0 and 1, and of bytes 2 and 3.
DEVICE u32 first_bytes(u32 v) { return __byte_perm(v, 0x64646464u, 0x4140u); }
DEVICE u32 last_bytes(u32 v) { return __byte_perm(v, 0x64646464u, 0x4342u); }
DEVICE u32 half2_twice(const uint2 &d, int r) { return __byte_perm(r < 2 ? d.x : d.y, 0, r & 1 ? 0x3232u : 0x1010u); }

// Eight bytes less a bias, times a scale that both halves of a word have; exact but for the last multiplication.
DEVICE uint4 scaled_halves(u32 low, u32 high, u32 bias, u32 scale) {
    return make_uint4(half2_mul(half2_sub(first_bytes(low), bias), scale), half2_mul(half2_sub(last_bytes(low), bias), scale),
            half2_mul(half2_sub(first_bytes(high), bias), scale), half2_mul(half2_sub(last_bytes(high), bias), scale));
}
// Eight bytes times a scale, plus an addend, rounded once.
DEVICE u32 affine_halves(u32 v, int first, float scale, float addend) {
    return half2_from(fmaf(byte_to_float(v, first), scale, addend), fmaf(byte_to_float(v, first + 1), scale, addend));
}
DEVICE uint4 affine_halves(u32 low, u32 high, float scale, float addend) {
    return make_uint4(affine_halves(low, 0, scale, addend), affine_halves(low, 2, scale, addend),
            affine_halves(high, 0, scale, addend), affine_halves(high, 2, scale, addend));
}

DEVICE float scale_of(const AffineScales &s, int r) { return low_half(word_of(s.d, r)) * byte_to_float(s.scale, r); }
DEVICE float min_of(const AffineScales &s, int r) { return high_half(word_of(s.d, r)) * byte_to_float(s.min, r); }

// Eight weights of 4 rows in registers: those that a lane stores.
//   load     number s of the eights of a block, which is what one lane of a unit of that many has
//   halves   the weights of row r, in their order
template <int TYPE> struct UnitEight;

// The nibbles of a block: a lane has 8 bytes, and uses the low or the high nibbles of them.
struct NibbleEight {
    uint2 q[4];
    METHOD void load(const u8 *unit, int lanes, int block, int s) {
#pragma unroll
        for (int r = 0; r < 4; r++) q[r] = stream_uint2(unit + (r * lanes + block) * 16 + (s & 1) * 8);
    }
    METHOD uint2 nibbles(int r, int s) const {
        int shift = (s >> 1) * 4;
        return uint2{q[r].x >> shift & LOW_NIBBLES, q[r].y >> shift & LOW_NIBBLES};
    }
};

template <> struct UnitEight<TYPE_Q4_0> : NibbleEight {
    uint2 d;
    METHOD void load(const u8 *unit, int lanes, int block, int s) {
        NibbleEight::load(unit, lanes, block, s);
        d = stream_uint2(unit + 64 * lanes + block * 8);
    }
    METHOD uint4 halves(int r, int s) const {
        uint2 v = nibbles(r, s);
        // 1024 + 8
        return scaled_halves(v.x, v.y, 0x64086408u, half2_twice(d, r));
    }
};

template <> struct UnitEight<TYPE_Q8_0> {
    uint2 q[4], d;
    METHOD void load(const u8 *unit, int lanes, int block, int s) {
#pragma unroll
        for (int r = 0; r < 4; r++) q[r] = stream_uint2(unit + ((r * 2 + (s >> 1)) * lanes + block) * 16 + (s & 1) * 8);
        d = stream_uint2(unit + 128 * lanes + block * 8);
    }
    METHOD uint4 halves(int r, int) const {
        // Bytes biased by 128, so that 1024 + 128 is subtracted.
        return scaled_halves(q[r].x ^ 0x80808080u, q[r].y ^ 0x80808080u, 0x64806480u, half2_twice(d, r));
    }
};

template <> struct UnitEight<TYPE_Q4_K> : NibbleEight {
    AffineScales scales;
    METHOD void load(const u8 *unit, int lanes, int block, int s) {
        NibbleEight::load(unit, lanes, block, s);
        scales.load<DeviceUnit>(unit + 64 * lanes, lanes, block);
    }
    METHOD uint4 halves(int r, int s) const {
        uint2 v = nibbles(r, s);
        return affine_halves(v.x, v.y, scale_of(scales, r), -min_of(scales, r));
    }
};

template <> struct UnitEight<TYPE_Q5_K> : NibbleEight {
    uint4 fifth;
    AffineScales scales;
    METHOD void load(const u8 *unit, int lanes, int block, int s) {
        NibbleEight::load(unit, lanes, block, s);
        fifth = stream_uint4(unit + 64 * lanes + block * 16);
        scales.load<DeviceUnit>(unit + 80 * lanes, lanes, block);
    }
    METHOD uint4 halves(int r, int s) const {
        uint2 v = nibbles(r, s);
        // Bits 2 s and 2 s + 1 of every byte.
        u32 bits = word_of(fifth, r) >> 2 * s;
        v.x |= bits << 4 & 0x10101010u;
        v.y |= bits << 3 & 0x10101010u;
        return affine_halves(v.x, v.y, scale_of(scales, r), -min_of(scales, r));
    }
};

template <> struct UnitEight<TYPE_Q6_K> : NibbleEight {
    // The high bits of 16 weights of each row, the scales of both 16 of rows 0, 1 and 2, 3, and d of the rows.
    u32 bits[4];
    uint2 scale, d;
    METHOD void load(const u8 *unit, int lanes, int block, int s) {
        NibbleEight::load(unit, lanes, block, s);
#pragma unroll
        for (int r = 0; r < 4; r++)
            bits[r] = stream_u32(unit + 64 * lanes + ((r >> 1) * lanes + block) * 16 + (r & 1) * 8 + (s >> 1) * 4);
        scale = stream_uint2(unit + 96 * lanes + block * 8);
        d = stream_uint2(unit + 104 * lanes + (block >> 3) * 8);
    }
    METHOD uint4 halves(int r, int s) const {
        uint2 v = nibbles(r, s);
        u32 high = bits[r] >> 4 * (s & 1);
        v.x |= high << 4 & 0x30303030u;
        v.y |= high << 2 & 0x30303030u;
        int both = (int) (r < 2 ? scale.x : scale.y) >> (r & 1) * 16 + (s >> 1) * 8;
        float f = half_of(d, r) * (float) (i8) (both & 255);
        return affine_halves(v.x, v.y, f, -32.f * f);
    }
};

struct HalfEight {
    uint4 q[4];
    METHOD void load(const u8 *unit, int lanes, int block, int) {
#pragma unroll
        for (int r = 0; r < 4; r++) q[r] = stream_uint4(unit + (r * lanes + block) * 16);
    }
    METHOD uint4 halves(int r, int) const { return q[r]; }
};
template <> struct UnitEight<TYPE_F16> : HalfEight {};
template <> struct UnitEight<TYPE_BF16> : HalfEight {};

// count rows of a matrix from first on, a multiple of 4; rows of the target are stride halves apart, a multiple of 8.
// blockIdx.y is the matrix: they are matrixBytes apart, and their rows follow each other in the target.
struct UnitRows {
    const u8 *units;
    u16 *target;
    i64 stride, matrixBytes;
    int first, count, k;
    METHOD const u8 *group(int g, i64 groupBytes) const {
        return units + blockIdx.y * matrixBytes + ((first >> 2) + g) * groupBytes;
    }
    METHOD u16 *rows(int g) const { return target + ((i64) blockIdx.y * count + g * 4) * stride; }
    METHOD void store(u16 *to, int r, int rowsLeft, const uint4 &v) const {
        if (r < rowsLeft) *(uint4 *) (to + r * stride) = v;
    }
};

// AHEAD eights are loaded before they are stored, so that enough loads are under way.
template <int TYPE, int AHEAD> DEVICE void dequantize(const UnitRows &p) {
    typedef UnitFormat<TYPE> F;
    // The eights of a block, and the blocks that a warp stores at once.
    const int EIGHTS = F::LANE_WEIGHTS / 8, BLOCKS = 32 / EIGHTS;
    pdl_launch_dependents();
    pdl_wait();
    UnitRow shape = unit_row<TYPE>(p.k);
    int lane = threadIdx.x & 31, s = lane % EIGHTS;
    u32 warps = gridDim.x * (blockDim.x >> 5), all = (u32) ((p.count + 3) >> 2) * shape.steps;
    for (u32 u = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5); u < all; u += warps) {
        int group = (int) (u / (u32) shape.steps), step = (int) u - group * shape.steps;
        int lanes = step < shape.full ? UNIT_LANES : shape.tail, rowsLeft = p.count - group * 4;
        const u8 *unit = p.group(group, shape.bytes) + (i64) step * F::BYTES;
        u16 *to = p.rows(group) + step * F::STEP + lane * 8;
#pragma unroll
        for (int q = 0; q < EIGHTS; q += AHEAD) {
            UnitEight<TYPE> w[AHEAD];
#pragma unroll
            for (int i = 0; i < AHEAD; i++) w[i].load(unit, lanes, min((q + i) * BLOCKS + lane / EIGHTS, lanes - 1), s);
#pragma unroll
            for (int i = 0; i < AHEAD; i++)
                if ((q + i) * BLOCKS + lane / EIGHTS < lanes)
#pragma unroll
                    for (int r = 0; r < 4; r++) p.store(to + (q + i) * 256, r, rowsLeft, w[i].halves(r, s));
        }
    }
}

#define UNIT_DEQUANTIZE(name, TYPE, AHEAD)                                                                                 \
    extern "C" __global__ void __launch_bounds__(256, 4) unit_dequantize_##name(                                           \
            const u8 *units, i64 matrixBytes, u16 *target, i64 stride, int first, int count, int k) {                      \
        const UnitRows p = {units, target, stride, matrixBytes, first, count, k};                                          \
        dequantize<TYPE, AHEAD>(p);                                                                                        \
    }

UNIT_DEQUANTIZE(q4_0, TYPE_Q4_0, 2)
UNIT_DEQUANTIZE(q8_0, TYPE_Q8_0, 2)
UNIT_DEQUANTIZE(q4_K, TYPE_Q4_K, 2)
UNIT_DEQUANTIZE(q5_K, TYPE_Q5_K, 2)
UNIT_DEQUANTIZE(q6_K, TYPE_Q6_K, 1)
UNIT_DEQUANTIZE(f16, TYPE_F16, 1)
UNIT_DEQUANTIZE(bf16, TYPE_BF16, 1)
