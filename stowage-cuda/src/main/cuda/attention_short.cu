// Attention over few cells with the rounding of plain attention, the products and the soft-max as nodes of their own: queries
// become the type of the cache, weights are divided by their sum and then become the type of the cache, sums are f32. The
// other kernels round weights before they are divided, which is as exact but not the same: in a small model with quantised
// weights, whose activations are rounded to eight bits after each layer, the last bits of attention show in likelihoods.
//
// One block for each query and head. All weights of a query are in shared memory:
//
//     query [key size]   weights [cells]   sums [threads / pieces of a value][value size]
//
// For the scores eight threads read a key, 8 elements each at a time; for the values a thread has 8 elements of every so
// many cells.
#include "attention_common.cuh"

constexpr int SHORT_THREADS = 128;
constexpr int SHORT_WARPS = SHORT_THREADS / 32;
// Threads that read a key together, and keys that a warp reads at once.
constexpr int KEY_THREADS = 8;
constexpr int WARP_KEYS = 32 / KEY_THREADS;

// A number as a cache of that type has it.
template <int TYPE> DEVICE float rounded(float x) {
    if constexpr (TYPE == TYPE_F16) return half_to_float(float_to_half(clamp_to_half(x)));
    if constexpr (TYPE == TYPE_BF16) return bfloat_to_float(float_to_bfloat(x));
    return x;
}

// Elements 8 * piece ... + 7 of a row.
template <int TYPE> DEVICE void load_piece(const u8 *row, int piece, float (&x)[8]) {
    if constexpr (TYPE == TYPE_F32) {
        float4 a = ((const float4 *) row)[piece * 2], b = ((const float4 *) row)[piece * 2 + 1];
        x[0] = a.x, x[1] = a.y, x[2] = a.z, x[3] = a.w;
        x[4] = b.x, x[5] = b.y, x[6] = b.z, x[7] = b.w;
    } else {
        uint4 bits = ((const uint4 *) row)[piece];
        const u32 pairs[4] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
            x[2 * i] = TYPE == TYPE_F16 ? half_to_float((u16) pairs[i]) : low_bfloat(pairs[i]);
            x[2 * i + 1] = TYPE == TYPE_F16 ? half_to_float((u16) (pairs[i] >> 16)) : high_bfloat(pairs[i]);
        }
    }
}

// The largest or the sum over the block, for all threads. `exchange` is free again after the next __syncthreads().
template <bool IS_MAX> DEVICE float over_block(float v, float *exchange) {
    v = IS_MAX ? warp_max(v) : warp_sum(v);
    if ((threadIdx.x & 31) == 0) exchange[threadIdx.x >> 5] = v;
    __syncthreads();
    v = exchange[0];
    for (int w = 1; w < SHORT_WARPS; w++) v = IS_MAX ? fmaxf(v, exchange[w]) : v + exchange[w];
    return v;
}

struct ShortScores {
    const float *query; // in shared memory, rounded
    const u16 *mask;    // of this query, or null
    float slope, scale, softcap;
    int size, cells;
};

// The scores of all cells; minus infinity where a cell is not seen.
template <int TYPE> DEVICE void compute_scores(const ShortScores &s, const u8 *keys, i64 stride, float *scores) {
    int lane = threadIdx.x & 31, thread = lane % KEY_THREADS;
    for (int first = (threadIdx.x >> 5) * WARP_KEYS; first < s.cells; first += SHORT_WARPS * WARP_KEYS) {
        int cell = first + lane / KEY_THREADS;
        float added = mask_bias(s.mask, cell, s.cells, s.slope), dot = 0.f;
        if (added != minus_infinity()) {
            for (int piece = thread; piece * 8 < s.size; piece += KEY_THREADS) {
                float x[8];
                load_piece<TYPE>(keys + cell * stride, piece, x);
#pragma unroll
                for (int i = 0; i < 8; i++) dot = fmaf(s.query[piece * 8 + i], x[i], dot);
            }
        }
#pragma unroll
        for (int o = KEY_THREADS / 2; o > 0; o >>= 1) dot += __shfl_xor_sync(0xffffffffu, dot, o);
        if (thread == 0 && cell < s.cells) {
            float score = dot * s.scale;
            if (s.softcap != 0.f) score = s.softcap * tanhf(score / s.softcap);
            scores[cell] = added == minus_infinity() ? added : score + added;
        }
    }
}

// Grid: rows of the result. Sizes are multiples of 8 and at most 256; rows of keys and values begin at multiples of 16 bytes.
template <int TYPE>
DEVICE void attention_short(const View &q, const View &k, const View &v, const View &mask, const float *sinks, float *result,
        float scale, float max_bias, float softcap) {
    extern __shared__ float short_memory[];
    __shared__ float maxima[SHORT_WARPS], totals[SHORT_WARPS];
    pdl_launch_dependents();
    pdl_wait();
    int heads = (int) q.ne[2], tokens = (int) q.ne[1], cells = (int) k.ne[1], thread = threadIdx.x;
    int head = blockIdx.x % heads, token = blockIdx.x / heads % tokens, batch = blockIdx.x / heads / tokens;
    int key_size = (int) k.ne[0], value_size = (int) v.ne[0];
    float *query = short_memory, *weights = query + key_size, *sums = weights + cells;
    const u8 *keys = k.data + head / (heads / (int) k.ne[2]) * k.nb[2] + batch * k.nb[3];
    const u8 *values = v.data + head / (heads / (int) v.ne[2]) * v.nb[2] + batch * v.nb[3];

    const float *from = (const float *) (q.data + token * q.nb[1] + head * q.nb[2] + batch * q.nb[3]);
    for (int i = thread; i < key_size; i += SHORT_THREADS) query[i] = rounded<TYPE>(from[i]);
    __syncthreads();
    ShortScores s = {query, mask.data ? mask_row(mask, token, head, batch) : nullptr, alibi_slope(max_bias, head, heads),
            scale, softcap, key_size, cells};
    compute_scores<TYPE>(s, keys, k.nb[1], weights);
    __syncthreads();

    float max = sinks ? sinks[head] : minus_infinity();
    for (int c = thread; c < cells; c += SHORT_THREADS) max = fmaxf(max, weights[c]);
    max = over_block<true>(max, maxima);
    float base = score_base(max), total = 0.f;
    for (int c = thread; c < cells; c += SHORT_THREADS) {
        float weight = expf(weights[c] - base);
        weights[c] = weight;
        total += weight;
    }
    total = over_block<false>(total, totals);
    if (sinks) total += expf(sinks[head] - base);
    float factor = total > 0.f ? 1.f / total : 0.f;
    for (int c = thread; c < cells; c += SHORT_THREADS) weights[c] = rounded<TYPE>(weights[c] * factor);
    __syncthreads();

    int pieces = value_size / 8, groups = SHORT_THREADS / pieces, group = thread / pieces, piece = thread - group * pieces;
    if (group < groups) {
        float sum[8] = {};
        for (int c = group; c < cells; c += groups) {
            // A cell that is not seen may have a value that is not a number.
            if (weights[c] == 0.f) continue;
            float x[8];
            load_piece<TYPE>(values + c * v.nb[1], piece, x);
#pragma unroll
            for (int i = 0; i < 8; i++) sum[i] = fmaf(weights[c], x[i], sum[i]);
        }
#pragma unroll
        for (int i = 0; i < 8; i++) sums[group * value_size + piece * 8 + i] = sum[i];
    }
    __syncthreads();
    for (int i = thread; i < value_size; i += SHORT_THREADS) {
        float sum = 0.f;
        for (int g = 0; g < groups; g++) sum += sums[g * value_size + i];
        result[(i64) blockIdx.x * value_size + i] = sum;
    }
}

// Dynamic shared memory: key size + cells + at most 1024 floats.
#define ATTENTION_SHORT(NAME, TYPE) \
    KERNEL __launch_bounds__(SHORT_THREADS) attention_short_##NAME(View q, View k, View v, View mask, const float *sinks, \
            float *result, float scale, float max_bias, float softcap) { \
        attention_short<TYPE>(q, k, v, mask, sinks, result, scale, max_bias, softcap); \
    }

ATTENTION_SHORT(f16, TYPE_F16)
ATTENTION_SHORT(bf16, TYPE_BF16)
ATTENTION_SHORT(f32, TYPE_F32)
