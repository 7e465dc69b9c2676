// Attention for any sizes, strides and cache types: one block for each query and head. All in f32.
//
// Cells are taken in tiles of as many cells as there are threads. For the scores a warp reads one key after the other;
// for the values a thread reads one element of all of them, so that both are read row by row.
#include "attention_common.cuh"

constexpr int ANY_THREADS = 128;
constexpr int TYPE_IQ4_NL = 20;

// Bytes of a block of 32, and element i of one, by type.
DEVICE int nibble_of(const u8 *nibbles, int i) { return i < 16 ? nibbles[i] & 15 : nibbles[i - 16] >> 4; }
DEVICE int fifth_bit(const u8 *bits, int i) { return (bits[i >> 3] >> (i & 7) & 1) << 4; }
DEVICE float half_at(const u8 *p) { return half_to_float(*(const u16 *) p); }

DEVICE int iq4_nl_level(int q) {
    // The 16 levels of iq4_nl plus 128, four in a word.
    const u32 levels[4] = {0x3f2d1801u, 0x766a5d4fu, 0xa6998d81u, 0xf1d9c5b5u};
    u32 word = q < 8 ? (q < 4 ? levels[0] : levels[1]) : (q < 12 ? levels[2] : levels[3]);
    return (int) (word >> ((q & 3) * 8) & 255) - 128;
}

// Element i of a row; nb0 is the distance of elements or of blocks.
template <int TYPE> DEVICE float cache_element(const u8 *row, i64 nb0, int i) {
    if constexpr (TYPE == TYPE_F32) return *(const float *) (row + i * nb0);
    if constexpr (TYPE == TYPE_F16) return half_at(row + i * nb0);
    if constexpr (TYPE == TYPE_BF16) return bfloat_to_float(*(const u16 *) (row + i * nb0));
    const u8 *block = row + (i >> 5) * nb0;
    int j = i & 31;
    if constexpr (TYPE == TYPE_Q8_0) return half_at(block) * (float) ((const i8 *) block)[2 + j];
    if constexpr (TYPE == TYPE_Q4_0) return half_at(block) * (float) (nibble_of(block + 2, j) - 8);
    if constexpr (TYPE == TYPE_Q4_1) return half_at(block) * (float) nibble_of(block + 4, j) + half_at(block + 2);
    if constexpr (TYPE == TYPE_Q5_0) {
        return half_at(block) * (float) ((nibble_of(block + 6, j) | fifth_bit(block + 2, j)) - 16);
    }
    if constexpr (TYPE == TYPE_Q5_1) {
        return half_at(block) * (float) (nibble_of(block + 8, j) | fifth_bit(block + 4, j)) + half_at(block + 2);
    }
    if constexpr (TYPE == TYPE_IQ4_NL) return half_at(block) * (float) iq4_nl_level(nibble_of(block + 2, j));
    return 0.f;
}

#define BY_TYPE(type, call) \
    switch (type) { \
        case TYPE_F32: call(TYPE_F32); break; \
        case TYPE_F16: call(TYPE_F16); break; \
        case TYPE_BF16: call(TYPE_BF16); break; \
        case TYPE_Q8_0: call(TYPE_Q8_0); break; \
        case TYPE_Q4_0: call(TYPE_Q4_0); break; \
        case TYPE_Q4_1: call(TYPE_Q4_1); break; \
        case TYPE_Q5_0: call(TYPE_Q5_0); break; \
        case TYPE_Q5_1: call(TYPE_Q5_1); break; \
        case TYPE_IQ4_NL: call(TYPE_IQ4_NL); break; \
    }

struct AnyScores {
    const float *query;  // in shared memory, multiplied by nothing
    const u16 *mask;     // of this query, or null
    float slope, scale, softcap;
    int size, first, cells;
};

// The scores of the cells of a tile, a warp for each.
template <int TYPE> DEVICE void scores_of_tile(const AnyScores &s, const u8 *keys, i64 nb0, i64 nb1, float *scores) {
    int lane = threadIdx.x & 31;
    for (int c = threadIdx.x >> 5; c < ANY_THREADS; c += ANY_THREADS / 32) {
        int cell = s.first + c;
        float score = minus_infinity();
        float added = cell >= s.cells ? score : s.mask ? half_to_float(s.mask[cell]) * s.slope : 0.f;
        if (added != score) { // the same for the whole warp
            float dot = 0.f;
            for (int i = lane; i < s.size; i += 32) dot += s.query[i] * cache_element<TYPE>(keys + cell * nb1, nb0, i);
            score = warp_sum(dot) * s.scale;
            if (s.softcap != 0.f) score = s.softcap * tanhf(score / s.softcap);
            score += added;
        }
        if (lane == 0) scores[c] = score;
    }
}

// Adds weight * value for the cells of a tile to element i of the sum.
template <int TYPE>
DEVICE float values_of_tile(const u8 *values, i64 nb0, i64 nb1, int first, int count, const float *weights, int i, float sum) {
    for (int c = 0; c < count; c++) {
        float weight = weights[c];
        // A cell that is not seen may have a value that is not a number.
        if (weight != 0.f) sum += weight * cache_element<TYPE>(values + (first + c) * nb1, nb0, i);
    }
    return sum;
}

DEVICE float block_max(float v, float *across_warps) {
    v = warp_max(v);
    if ((threadIdx.x & 31) == 0) across_warps[threadIdx.x >> 5] = v;
    __syncthreads();
    v = across_warps[0];
    for (int w = 1; w < ANY_THREADS / 32; w++) v = fmaxf(v, across_warps[w]);
    return v;
}

DEVICE float block_sum(float v, float *across_warps) {
    v = warp_sum(v);
    if ((threadIdx.x & 31) == 0) across_warps[threadIdx.x >> 5] = v;
    __syncthreads();
    v = across_warps[0];
    for (int w = 1; w < ANY_THREADS / 32; w++) v += across_warps[w];
    return v;
}

// Grid: tokens * heads * batches blocks in the order of the result's rows. Dynamic shared memory: the query and the
// sums, in floats.
KERNEL __launch_bounds__(ANY_THREADS) attention_any(View q, View k, View v, View mask, const float *sinks, View result,
        int k_type, int v_type, float scale, float max_bias, float softcap) {
    extern __shared__ float any_memory[];
    __shared__ float weights[ANY_THREADS], maxima[ANY_THREADS / 32], totals[ANY_THREADS / 32];
    pdl_launch_dependents();
    pdl_wait();
    int heads = (int) q.ne[2], tokens = (int) q.ne[1], cells = (int) k.ne[1], thread = threadIdx.x;
    int head = blockIdx.x % heads, token = blockIdx.x / heads % tokens, batch = blockIdx.x / heads / tokens;
    int key_size = (int) k.ne[0], value_size = (int) v.ne[0];
    float *query = any_memory, *sums = any_memory + key_size;
    const u8 *keys = k.data + head / (heads / (int) k.ne[2]) * k.nb[2] + batch * k.nb[3];
    const u8 *values = v.data + head / (heads / (int) v.ne[2]) * v.nb[2] + batch * v.nb[3];

    const u8 *row = q.data + token * q.nb[1] + head * q.nb[2] + batch * q.nb[3];
    for (int i = thread; i < key_size; i += ANY_THREADS) query[i] = *(const float *) (row + i * q.nb[0]);
    for (int i = thread; i < value_size; i += ANY_THREADS) sums[i] = 0.f;
    __syncthreads();

    AnyScores s = {query, mask.data ? mask_row(mask, token, head, batch) : nullptr, alibi_slope(max_bias, head, heads),
            scale, softcap, key_size, 0, cells};
    float max = sinks ? sinks[head] : minus_infinity();
    float total = sinks ? 1.f : 0.f; // the weight of the sink
    for (; s.first < cells; s.first += ANY_THREADS) {
#define SCORES(TYPE) scores_of_tile<TYPE>(s, keys, k.nb[0], k.nb[1], weights)
        BY_TYPE(k_type, SCORES)
        __syncthreads();
        float score = weights[thread];
        float larger = fmaxf(max, block_max(score, maxima));
        float base = score_base(larger);
        float rescale = expf(max - base), weight = expf(score - base);
        max = larger;
        weights[thread] = weight;
        total = total * rescale + block_sum(weight, totals); // synchronises: all weights are stored
        int count = min(ANY_THREADS, cells - s.first);
        for (int i = thread; i < value_size; i += ANY_THREADS) {
#define VALUES(TYPE) sums[i] = values_of_tile<TYPE>(values, v.nb[0], v.nb[1], s.first, count, weights, i, sums[i] * rescale)
            BY_TYPE(v_type, VALUES)
        }
        __syncthreads();
    }
    u8 *target = result.data + head * result.nb[1] + token * result.nb[2] + batch * result.nb[3];
    for (int i = thread; i < value_size; i += ANY_THREADS) {
        *(float *) (target + i * result.nb[0]) = total > 0.f ? sums[i] / total : 0.f;
    }
}
