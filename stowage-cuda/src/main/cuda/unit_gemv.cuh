// Products of up to 4 matrices in units with 1 to 4 vectors of activations: what the kernels with and without the copy
// engine share.
//
// The groups of 4 rows of all matrices are numbered one after the other (gate and up of a gated unit alternate), and are
// split evenly over the thread blocks; the units of a block's groups are split evenly over its warps, so that a warp reads
// one contiguous run:
//
//     groups  | 0           | 1           | 2           | 3           |
//     units   | a b c d e f | a b c d e f | a b c d e f | a b c d e f |
//     warps   |-- 0 ---|--- 1 ---|--- 2 --|---- 3 ---|---- 4 --- ...
//
// The warp that has the first unit of a group stores its sum in parts; another warp's sum of the rest is stored in heads
// (a warp has at most one such group), and the epilogue adds both, always in the same order.
//
// A launch of one token lasts a few microseconds, so what happens once in it counts: nothing is divided on the device
// (the launch brings quotients), the ring is asked for first, all loads after the wait for the launch before are under way
// together, and sums of squares are added up when the run has ended. Two blocks must fit on a multiprocessor, so that one
// can fill its ring while the other ends: the epilogue computes again what would take registers over the loop.
#pragma once
#include "unit_dot.cuh"

// What a kernel is made for beside the type of weights.
enum GemvKind {
    // The matrices of experts, by numbers on the device.
    GEMV_EXPERTS = 1,
    // Rows of whole units.
    GEMV_WHOLE = 2,
    // One token whose activations are quantised already, and rows of whole units. A launch finds the instruction cache
    // empty: what it never does must not be between the instructions that it executes. These have up to four matrices,
    // or with one more bit one of them, or the two of a gated unit.
    GEMV_READY = 4,
    GEMV_ONE = 8,
    GEMV_GATED = 16
};

enum GemvFlag {
    // x points to quantised activations, not to floats.
    GEMV_QUANTIZED = 1,
    // Results are multiplied with 1 / sqrt(mean of squares + epsilon); the squares are those of x, or from squares.
    GEMV_RMS = 2,
    // Bits 4..6: the gated unit that two matrices are combined with, as the class UnitProduct numbers them.
    GEMV_GLU_SHIFT = 4
};

// What is used first comes first: a launch finds the constant cache empty, and asks for 64 bytes of parameters at a time.
struct UnitGemv {
    int k;
    // Groups that must be in one block; the granules of a block, and how many blocks have one more.
    int granule, perBlock, extra;
    // Stages of a ring.
    int stages;
    // 2^32 / units of a group, rounded up; 0 for one unit.
    int stepInverse;
    int rows[4];
    int flags, tokens;
    const u8 *w[4];
    // Activations; elements (floats) or bytes (quantised) between tokens and between the experts of a token.
    const void *x;
    i64 xToken, xExpert;
    // Rows of a block.
    int rowCapacity;
    float epsilon;
    const float *norm, *squares;
    const float *residual;
    // The result as quantised activations of result * publishNorm, and the sum of squares of every 16 results.
    u8 *published;
    const float *publishNorm;
    float *publishedSquares;
    float *out[4];
    const float *bias[4];
    // Experts: blockIdx.y is a pair of a token and one of its used experts. With shares it is a token, whose products of
    // all used experts, at most 32, are added up, each times its share.
    const int *ids;
    int used;
    i64 idsToken, expertBytes;
    const float *shares;
    i64 sharesToken;
    // The number of this block among those that share the groups.
    int block;
};

// Brings the parameters that are used after the wait into the constant cache, which a launch finds empty: one of each 64
// bytes.
DEVICE void fetch_parameters(const UnitGemv &p) {
    fetch(p.out[0]);
    fetch(p.bias[0]);
    fetch(p.x);
    fetch(p.squares);
    fetch(p.residual);
    fetch(p.publishedSquares);
}

#define UNIT_GEMV_PARAMETERS                                                                                               \
    int k, int granule, int perBlock, int remainder, int stages, int stepInverse, int rows0, int rows1, int rows2, int rows3,  \
            int flags, int tokens, const u8 *w0, const u8 *w1, const u8 *w2, const u8 *w3, const void *x, i64 xToken,      \
            i64 xExpert, int rowCapacity, float epsilon, const float *norm, const float *squares, const float *residual,   \
            u8 *published, const float *publishNorm, float *publishedSquares, float *out0, float *out1, float *out2,       \
            float *out3, const float *bias0, const float *bias1, const float *bias2, const float *bias3, const int *ids,   \
            int used, i64 idsToken, i64 expertBytes, const float *shares, i64 sharesToken
#define UNIT_GEMV_ARGUMENTS                                                                                                \
    UnitGemv {                                                                                                             \
        k, granule, perBlock, remainder, stages, stepInverse, {rows0, rows1, rows2, rows3}, flags, tokens, {w0, w1, w2, w3}, x,\
                xToken, xExpert, rowCapacity, epsilon, norm, squares, residual, published, publishNorm, publishedSquares,  \
                {out0, out1, out2, out3}, {bias0, bias1, bias2, bias3}, ids, used, idsToken, expertBytes, shares,          \
                sharesToken, (int) blockIdx.x                                                                              \
    }

// Numbered groups: which matrix and which group of its rows.
template <int KIND> struct GemvGroups {
    static const bool ONE = KIND & GEMV_ONE;
    int end0, end1, end2, end3;
    bool paired;
    METHOD GemvGroups(const UnitGemv &p) {
        paired = KIND & GEMV_READY ? (bool) (KIND & GEMV_GATED) : (bool) (p.flags >> GEMV_GLU_SHIFT & 7);
        end0 = (p.rows[0] + 3) >> 2;
        end1 = end0 + ((p.rows[1] + 3) >> 2);
        end2 = end1 + ((p.rows[2] + 3) >> 2);
        end3 = end2 + ((p.rows[3] + 3) >> 2);
    }
    METHOD int count() const { return ONE ? end0 : end3; }
    // Whether a number other than 0 is that of the first group of a matrix.
    METHOD bool begins(int number) const { return !ONE && (number == end0 || number == end1 || number == end2); }
    // A number past the last is in the last matrix.
    METHOD int matrix(int number, int &group) const {
        if (ONE) {
            group = number;
            return 0;
        }
        if (paired) {
            group = number >> 1;
            return number & 1;
        }
        int m = (number >= end0) + (number >= end1) + (number >= end2);
        group = number - (m == 0 ? 0 : m == 1 ? end0 : m == 2 ? end1 : end2);
        return m;
    }
};

// The units of four rows.
template <int TYPE, int KIND> DEVICE UnitRow gemv_row(int k) {
    UnitRow row = unit_row<TYPE>(k);
    if (KIND & GEMV_WHOLE) {
        row.tail = 0;
        row.steps = row.full;
    }
    return row;
}

// Walks the units of a block's groups, from one of them on. Units of a matrix are contiguous; those of a group of experts
// that are added up are those of one expert after the other.
template <int TYPE, int KIND> struct UnitCursor {
    static const bool EXPERTS = KIND & GEMV_EXPERTS;
    // The number of the group, and the step of the unit in it.
    int number, step;
    // Of experts that are added up, the place of this one; lane i has the number of the expert at place i.
    int place, expert;
    const u8 *address;

    METHOD void at(const UnitGemv &p, const UnitRow &shape) {
        GemvGroups<KIND> groups(p);
        int group;
        int m = groups.matrix(number, group);
        address = select4(p.w, m) + (i64) group * group_bytes<TYPE>(shape) + step * UnitFormat<TYPE>::BYTES;
        if (EXPERTS) address += __shfl_sync(0xffffffffu, expert, place) * p.expertBytes;
    }
    METHOD int bytes(const UnitRow &shape) const {
        return KIND & GEMV_WHOLE || step < shape.full ? UnitFormat<TYPE>::BYTES : unit_bytes<TYPE>(shape.tail);
    }
    METHOD void advance(const UnitGemv &p, const UnitRow &shape) {
        address += bytes(shape);
        if (++step < shape.steps) return;
        step = 0;
        if (EXPERTS) {
            if (!p.shares || ++place == p.used) {
                place = 0;
                number++;
            }
            at(p, shape);
            return;
        }
        number++;
        if (GemvGroups<KIND>(p).paired) {
            // From the end of a gate's group to the same group of up, and from there to the next of gate.
            i64 apart = p.w[1] - p.w[0];
            address += number & 1 ? apart - group_bytes<TYPE>(shape) : -apart;
        } else if (GemvGroups<KIND>(p).begins(number)) {
            at(p, shape);
        }
    }
};

// What a block of activations is quantised with: the largest magnitude becomes 127, as DotType of the reference has it. The
// scale is an f16 where halfScale is set.
struct BlockScale {
    float inverse, scale;
    METHOD BlockScale(float max, bool halfScale) {
        // Of a block whose inverse would be infinite nothing is left.
        inverse = max > 0x1p-119f ? __fdiv_rn(127.f, max) : 0.f;
        scale = __fdiv_rn(max, 127.f);
        if (halfScale) scale = half_to_float(float_to_half(scale));
    }
};

DEVICE float4 times(const float4 &v, float f) { return make_float4(v.x * f, v.y * f, v.z * f, v.w * f); }
DEVICE float largest_of(const float4 &v) { return fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))); }
// The largest of so many neighbouring lanes.
template <int LANES> DEVICE float lanes_max(float v) {
#pragma unroll
    for (int o = 1; o < LANES; o <<= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}

// Puts eight activations of each lane, which are 256 in a row of a warp, into shared memory: those of lane l are 4 l and
// 128 + 4 l on. Those of q4_0 and q8_0 have a scale for every 32, those of k-quants for all 256, those of halves none.
// exact says that they are what the products see, and not yet to be multiplied with the factor of a norm. Their products
// are multiplied with share.
template <int TYPE>
DEVICE void store_activations(const float4 (&v)[2], int first, int count, bool exact, float share, u8 *steps) {
    const bool HALVES = TYPE == TYPE_F16 || TYPE == TYPE_BF16;
    const bool IN_32 = UnitFormat<TYPE>::BLOCK_WEIGHTS == 32;
    int lane = threadIdx.x & 31;
    float max[2];
    if (!HALVES) {
        max[0] = largest_of(v[0]);
        max[1] = largest_of(v[1]);
        if (IN_32) {
            max[0] = lanes_max<8>(max[0]);
            max[1] = lanes_max<8>(max[1]);
        } else {
            max[0] = max[1] = lanes_max<32>(fmaxf(max[0], max[1]));
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        int element = first + 128 * i + lane * 4;
        if (!HALVES) {
            BlockScale block(max[i], IN_32 && exact);
            store_quantized(v[i], block.inverse, block.scale * share, element, steps, element < count);
        } else if (element < count) {
            *(float4 *) (steps + (element >> 8) * 1024 + (element >> 2 & 1) * 512 + (element >> 3 & 31) * 16) =
                    times(exact ? narrowed<TYPE>(v[i]) : v[i], share);
        }
    }
}

template <bool ALIGNED> DEVICE float4 load_floats(const float *p) {
    return ALIGNED ? load_float4(p) : make_float4(load_float(p), load_float(p + 1), load_float(p + 2), load_float(p + 3));
}

// A vector of floats, times norm where there is one, into shared memory, with 2 RUNS loads of a thread under way. Returns
// the sum of squares that this thread saw.
template <int TYPE, int WARPS, int RUNS, bool ALIGNED>
DEVICE float fill_from_floats(const float *x, const float *norm, int count, bool exact, float share, u8 *steps) {
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    float squares = 0.f;
#pragma unroll 1
    for (int base = warp * 256; base < count; base += RUNS * WARPS * 256) {
        float4 v[RUNS][2];
#pragma unroll
        for (int j = 0; j < 2 * RUNS; j++) {
            int e = base + (j >> 1) * WARPS * 256 + (j & 1) * 128 + lane * 4;
            v[j >> 1][j & 1] = e < count ? load_floats<ALIGNED>(x + e) : make_float4(0.f, 0.f, 0.f, 0.f);
        }
#pragma unroll
        for (int j = 0; j < 2 * RUNS; j++) {
            int e = base + (j >> 1) * WARPS * 256 + (j & 1) * 128 + lane * 4;
            float4 &a = v[j >> 1][j & 1];
            squares += a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w;
            if (norm && e < count) {
                float4 g = load_floats<ALIGNED>(norm + e);
                a = make_float4(a.x * g.x, a.y * g.y, a.z * g.z, a.w * g.w);
            }
        }
#pragma unroll
        for (int j = 0; j < RUNS; j++)
            if (base + j * WARPS * 256 < count) 
                store_activations<TYPE>(v[j], base + j * WARPS * 256, count, exact, share, steps);
    }
    return squares;
}

// Sixteen bytes of quantised activations; those that are scales are multiplied with share.
DEVICE void store_copied(uint4 v, int at, float share, bool hasShare, u8 *steps) {
    if (hasShare && at % 1536 >= 1024) {
        float4 scales = make_float4(__uint_as_float(v.x), __uint_as_float(v.y), __uint_as_float(v.z), __uint_as_float(v.w));
        *(float4 *) (steps + at) = times(scales, share);
    } else {
        *(uint4 *) (steps + at) = v;
    }
}

// Quantised activations into shared memory; returns the sum of the squares that this thread loads meanwhile.
template <int WARPS>
DEVICE float fill_from_quantized(
        const u8 *x, int bytes, float share, bool hasShare, u8 *steps, const float *squares, int squareCount) {
    // Enough for rows of 16384: no load waits for another.
    const int batch = (16384 * 3 / 2 + WARPS * 512 - 1) / (WARPS * 512);
    float sum = 0.f;
    int base = threadIdx.x * 16;
    uint4 v[batch];
#pragma unroll
    for (int j = 0; j < batch; j++)
        if (base + j * WARPS * 512 < bytes) v[j] = load_uint4(x + base + j * WARPS * 512);
    if (squares && (int) threadIdx.x < squareCount) sum = load_float(squares + threadIdx.x);
#pragma unroll
    for (int j = 0; j < batch; j++)
        if (base + j * WARPS * 512 < bytes) store_copied(v[j], base + j * WARPS * 512, share, hasShare, steps);
#pragma unroll 1
    for (base += batch * WARPS * 512; base < bytes; base += WARPS * 512)
        store_copied(load_uint4(x + base), base, share, hasShare, steps);
    if (squares)
#pragma unroll 1
        for (int i = threadIdx.x + WARPS * 32; i < squareCount; i += WARPS * 32) sum += load_float(squares + i);
    return sum;
}

// Which warps have a part of a group in heads.
struct GemvHeads {
    int first, count;
};

// A result of a block: a row of a matrix, or of a gated unit.
struct GemvItem {
    int m, row;
    bool valid;
    // The row of the block that has its sum, and the heads of its group; of a gated unit, those of the gate and of up.
    int local;
    GemvHeads heads, upHeads;
    // What it is multiplied with where it is published.
    float norm;
};

// The dynamic shared memory of a block, after what the pipe has, and the groups that are the block's.
template <int TYPE, int TOKENS, int WARPS, int KIND> struct GemvBlock {
    static const bool EXPERTS = KIND & GEMV_EXPERTS;
    const UnitGemv &p;
    u8 *steps;
    int group0, group1;

    METHOD GemvBlock(const UnitGemv &p_, u8 *steps_) : p(p_), steps(steps_) {}

    METHOD void split() {
        int first = p.block * p.perBlock + min(p.block, p.extra);
        int count = p.perBlock + (p.block < p.extra);
        group0 = first * p.granule;
        group1 = min((first + count) * p.granule, GemvGroups<KIND>(p).count());
    }
    // The bytes of a vector of activations, and how many vectors a block has: of tokens, or of experts that are added up.
    METHOD int stepStride() const { return gemv_row<TYPE, KIND>(p.k).steps * UnitActivations<TYPE>::STEP_BYTES; }
    METHOD int vectors() const { return EXPERTS && p.shares ? p.used : TOKENS; }
    // The units of a group.
    METHOD int groupUnits() const { return gemv_row<TYPE, KIND>(p.k).steps * (EXPERTS ? vectors() : 1); }
    METHOD float *parts() const { return (float *) (steps + vectors() * stepStride()); }
    METHOD float *heads() const { return parts() + TOKENS * p.rowCapacity; }

    // The token of a block of experts, and the place among its used experts where it has only one of them.
    METHOD int tokenOf(int &place) const {
        place = 0;
        if (p.shares) return blockIdx.y;
        int token = blockIdx.y / p.used;
        place = blockIdx.y - token * p.used;
        return token;
    }
    // The number of the expert at a lane's place.
    METHOD int expertOf(int lane) const {
        int place, token = tokenOf(place);
        return lane < vectors() ? load_int(p.ids + token * p.idsToken + place + lane) : 0;
    }

    // Puts the activations of all tokens into shared memory. Of one token, returns the sum of squares that this thread
    // saw; of several, puts sums by warp into squareSums.
    METHOD float fillActivations(float *squareSums) const {
        if (EXPERTS) {
            int place, token = tokenOf(place);
            i64 offset = token * p.xToken + place * p.xExpert;
#pragma unroll 1
            for (int i = 0; i < vectors(); i++)
                fillVector(offset + i * p.xExpert, nullptr, p.shares ? load_float(p.shares + token * p.sharesToken + i) : 1.f,
                        steps + i * stepStride());
            return 0.f;
        }
        if (TOKENS == 1) return fillVector(0, p.squares, 1.f, steps);
        int count = (p.k + 15) >> 4;
#pragma unroll 1
        for (int t = 0; t < p.tokens; t++) {
            const float *squares = p.squares ? p.squares + (i64) t * count : nullptr;
            storeSquares(fillVector(t * p.xToken, squares, 1.f, steps + t * stepStride()), squareSums + t * WARPS);
        }
        return 0.f;
    }
    // One vector, whose products are multiplied with share; returns the sum of squares that this thread saw.
    METHOD float fillVector(i64 offset, const float *squares, float share, u8 *to) const {
        if (KIND & GEMV_READY || p.flags & GEMV_QUANTIZED)
            return fill_from_quantized<WARPS>(
                    (const u8 *) p.x + offset, stepStride(), share, EXPERTS, to, squares, (p.k + 15) >> 4);
        const float *x = (const float *) p.x + offset;
        bool exact = !(p.flags & GEMV_RMS);
        return (((u64) x | (u64) p.norm) & 15) == 0 ? fill_from_floats<TYPE, WARPS, 2, true>(x, p.norm, p.k, exact, share, to)
                                                    : fill_from_floats<TYPE, WARPS, 1, false>(x, p.norm, p.k, exact, share, to);
    }
    METHOD void storeSquares(float squares, float *squareSums) const {
        if (!(p.flags & GEMV_RMS)) return;
        squares = warp_sum(squares);
        if ((threadIdx.x & 31) == 0) squareSums[threadIdx.x >> 5] = squares;
    }
    // 1 / sqrt(mean of squares + epsilon), or 1.
    METHOD float rmsFactor(const float *squareSums) const {
        if (!(p.flags & GEMV_RMS)) return 1.f;
        float sums[4] = {0.f, 0.f, 0.f, 0.f};
#pragma unroll
        for (int i = 0; i < WARPS; i += 4) {
            float4 four = *(const float4 *) (squareSums + i);
            sums[0] += four.x;
            sums[1] += four.y;
            sums[2] += four.z;
            sums[3] += four.w;
        }
        return rsqrtf(__fdividef((sums[0] + sums[1]) + (sums[2] + sums[3]), (float) p.k) + p.epsilon);
    }

    METHOD void zeroHeads(int warp, int lane) const {
        if (lane < 4)
#pragma unroll
            for (int t = 0; t < TOKENS; t++) heads()[(t * WARPS + warp) * 4 + lane] = 0.f;
    }

    // The heads of a group of n units: the warps after the owner of its first unit that began within it. The quotients are
    // exact: what is divided is half a unit away from a multiple, and there are fewer than 2^17 units.
    METHOD GemvHeads headsOf(int group, int n) const {
        float warpsPerUnit = __fdividef((float) WARPS, (float) ((group1 - group0) * n));
        float unit = (float) (group * n) - 0.5f / WARPS;
        int owner = (int) ((unit + 1.f) * warpsPerUnit), last = (int) ((unit + (float) n) * warpsPerUnit);
        return GemvHeads{owner + 1, last - owner};
    }
    // The sum of a row of the block over all warps.
    METHOD float total(int t, int row, const GemvHeads &those) const {
        float sum = parts()[t * p.rowCapacity + row];
        const float *head = heads() + (t * WARPS + those.first) * 4 + (row & 3);
#pragma unroll 1
        for (int i = 0; i < those.count; i++) sum += head[i * 4];
        return sum;
    }

    METHOD int rowsOf(int m) const { return KIND & (GEMV_ONE | GEMV_GATED) ? p.rows[0] : select4(p.rows, m); }
    METHOD float *outOf(int m) const { return KIND & (GEMV_ONE | GEMV_GATED) ? p.out[0] : select4(p.out, m); }
    METHOD const float *biasOf(int m) const { return KIND & (GEMV_ONE | GEMV_GATED) ? p.bias[0] : select4(p.bias, m); }

    // The epilogue's items: rows of the block, or pairs of rows of a gated unit.
    METHOD int items() const { return (group1 - group0) * (GemvGroups<KIND>(p).paired ? 2 : 4); }
    METHOD GemvItem item(int i) const {
        GemvGroups<KIND> groups(p);
        GemvItem item;
        int n = groupUnits(), group;
        if (groups.paired) {
            item.m = 0;
            group = (group0 >> 1) + (i >> 2);
            item.local = (i >> 2) * 8 + (i & 3);
            item.upHeads = headsOf((i >> 2) * 2 + 1, n);
        } else {
            item.m = groups.matrix(group0 + (i >> 2), group);
            item.local = i;
        }
        item.heads = headsOf(item.local >> 2, n);
        item.row = group * 4 + (i & 3);
        item.valid = i < items() && item.row < rowsOf(item.m);
        item.norm = SINGLE && item.valid && p.publishNorm ? p.publishNorm[item.row] : 1.f;
        return item;
    }
    METHOD float residual(int t, const GemvItem &item) const {
        return SINGLE && item.valid && p.residual ? load_float(p.residual + outAt(t, item.m, item.row)) : 0.f;
    }
    METHOD i64 outAt(int t, int m, int row) const {
        return KIND & GEMV_READY ? row : ((i64) blockIdx.y * p.tokens + t) * select4(p.rows, m) + row;
    }

    METHOD void publish(float value, int t, int row, bool valid, float norm) const {
        int publishedSteps = (p.rows[0] + 1023) >> 10, squares = (p.rows[0] + 15) >> 4;
        int at = KIND & GEMV_READY ? 0 : blockIdx.y * p.tokens + t;
        float square = quantize1(value * norm, value * value, row, p.published + (i64) at * publishedSteps * 1536, valid);
        if (p.publishedSquares && valid && (row & 15) == 0) p.publishedSquares[(i64) at * squares + (row >> 4)] = square;
    }

    // Whether results are added to something, or published: not where there are several.
    static const bool SINGLE = !(KIND & GEMV_READY) || KIND & (GEMV_ONE | GEMV_GATED);

    // The product of an item and its bias; 0 of what is no item.
    METHOD float product(const GemvItem &item, float factor) const {
        if (!item.valid) return 0.f;
        const float *bias = biasOf(item.m);
        float value = total(0, item.local, item.heads) * factor;
        return bias ? value + bias[item.row] : value;
    }

    // Stores the result of an item, with residual added.
    METHOD void finish(int t, const GemvItem &item, float factor, float residual) const {
        float value = 0.f;
        if (item.valid) {
            value = total(t, item.local, item.heads) * factor;
            const float *bias = biasOf(item.m);
            if (bias) value += bias[item.row];
            if (GemvGroups<KIND>(p).paired) {
                float up = total(t, item.local + 4, item.upHeads) * factor;
                if (p.bias[1]) up += p.bias[1][item.row];
                value = glu(p.flags >> GEMV_GLU_SHIFT & 7, value, up);
            }
            if (SINGLE) value += residual;
            float *out = outOf(item.m);
            if (out) out[outAt(t, item.m, item.row)] = value;
        }
        if (SINGLE && p.published) publish(value, t, item.row, item.valid, item.norm);
    }
};

// Pipe is how units reach registers: begin(cursor, count) starts a run of count units, take(weights, lanes, left) gives the next
// one of the left that are still to come, which release(left) gives back. Tail is what becomes of results where they are not
// just stored, of launches whose blocks have no more results than threads: prepare(item), before the wait for the launch
// before, begin(item) after it, compute() while units are copied, and finish(item, product).
struct NoTail {
    static const bool IS_THERE = false;
    METHOD void prepare(const GemvItem &) {}
    METHOD void begin(const GemvItem &) {}
    METHOD void compute() {}
    METHOD void finish(const GemvItem &, float) {}
};

template <int TYPE, int TOKENS, int WARPS, int KIND, class Pipe, class Tail = NoTail>
DEVICE void unit_gemv(const UnitGemv &p, u8 *shared, Tail tail = Tail()) {
    const bool EXPERTS = KIND & GEMV_EXPERTS;
    __shared__ __align__(16) float squareSums[TOKENS * WARPS];
    static_assert(WARPS % 4 == 0, "sums of squares are added up four at a time");
    // The shuffle makes known that the warp is the same for all its lanes.
    int lane = threadIdx.x & 31, warp = __shfl_sync(0xffffffffu, (int) threadIdx.x >> 5, 0);
    GemvBlock<TYPE, TOKENS, WARPS, KIND> b(p, shared + Pipe::sharedBytes(WARPS, p.stages));
    b.split();
    UnitRow shape = gemv_row<TYPE, KIND>(p.k);
    int groupUnits = b.groupUnits();
    u32 units = (u32) ((b.group1 - b.group0) * groupUnits);
    int unit = (int) (units * warp / WARPS), left = (int) (units * (warp + 1) / WARPS) - unit;
    int group = p.stepInverse ? (int) __umulhi((u32) unit, (u32) p.stepInverse) : unit, step = unit - group * groupUnits;
    UnitCursor<TYPE, KIND> cursor = {b.group0 + group, step, 0, 0, nullptr};
    // Weights do not depend on the launch before, so their loads begin first; which experts are used does.
    if (EXPERTS) {
        cursor.place = step / shape.steps;
        cursor.step = step - cursor.place * shape.steps;
        pdl_wait();
        cursor.expert = b.expertOf(lane);
    }
    // The step of the next unit in its matrix.
    int inner = cursor.step;
    Pipe pipe(p, shape, shared, warp, lane);
    pipe.begin(cursor, left);
    b.zeroHeads(warp, lane);
    // The first result of each thread, which is all in most launches.
    GemvItem item = b.item(threadIdx.x);
    tail.prepare(item);
    fetch_parameters(p);
    if (!EXPERTS) pdl_wait();
    float residual = b.residual(0, item);
    tail.begin(item);
    float squares = b.fillActivations(squareSums);
    __syncthreads();
    tail.compute();
    float acc[TOKENS][4];
#pragma unroll
    for (int t = 0; t < TOKENS; t++) acc[t][0] = acc[t][1] = acc[t][2] = acc[t][3] = 0.f;
    // Where sums go: the rest of a group that another warp began to heads, all else to parts.
    float *to = step > 0 ? b.heads() + warp * 4 : b.parts() + group * 4;
    int stride = step > 0 ? WARPS * 4 : p.rowCapacity;
    float *next = b.parts() + group * 4 + 4;
    const u8 *activations = b.steps + step * UnitActivations<TYPE>::STEP_BYTES;
#pragma unroll 1
    for (; left > 0; left--) {
        // The last unit of a row may have fewer lanes.
        int lanes = KIND & GEMV_WHOLE || (EXPERTS ? inner : step) < shape.full ? UNIT_LANES : shape.tail;
        UnitWeights<TYPE> w;
        pipe.take(w, lanes, left);
        if (lane < lanes) UnitActivations<TYPE>::template multiply<TOKENS>(w, activations, b.stepStride(), lane, acc);
        pipe.release(left);
        activations += UnitActivations<TYPE>::STEP_BYTES;
        if (EXPERTS && ++inner == shape.steps) inner = 0;
        if (++step == groupUnits || left == 1) {
#pragma unroll
            for (int t = 0; t < TOKENS; t++) {
                float sum = warp_sum4(acc[t], lane);
                if ((lane & 7) == 0) to[t * stride + (lane >> 3)] = sum;
                acc[t][0] = acc[t][1] = acc[t][2] = acc[t][3] = 0.f;
            }
            to = next;
            stride = p.rowCapacity;
            next += 4;
            step = 0;
            activations = b.steps;
        }
    }
    if (TOKENS == 1) b.storeSquares(squares, squareSums);
    __syncthreads();
    int padded = (b.items() + 31) & ~31;
    if constexpr (Tail::IS_THERE) {
        if ((int) threadIdx.x < padded) tail.finish(item, b.product(item, b.rmsFactor(squareSums)));
    } else {
#pragma unroll 1
        for (int t = 0; t < (TOKENS == 1 ? 1 : p.tokens); t++) {
            float factor = b.rmsFactor(squareSums + t * WARPS);
#pragma unroll 1
            for (int i = threadIdx.x; i < padded; i += WARPS * 32) {
                if (t > 0 || i != threadIdx.x) {
                    item = b.item(i);
                    residual = b.residual(t, item);
                }
                b.finish(t, item, factor, residual);
            }
        }
    }
}
